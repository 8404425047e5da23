import { describe, expect, it } from 'vitest';
import { artifactRow, exportIssueRow, exportRow, exportsRow, recordedRow } from '../src/core/rows/recorded';

const ISSUE = { title: 'The data decide `n > 3`', file: '/app/model.py', line: 25 };
const DRAFT = { title: '1. draft_export: exported, 1 issue', failed: false, issues: [ISSUE], log: 'a.log', offset: 7 };
const CLEAN = { title: '2. export: exported, no issues', failed: false, issues: [], log: null, offset: null };
const FAILED = { title: '3. export: failed, no issues', failed: true, issues: [], log: null, offset: null };

describe('texts of a compile', () => {
  it('have a row for each, with attempt and size', () => {
    expect(recordedRow('/r', '0/0')).toMatchObject({ branch: true, compileId: '0/0', label: 'Recorded texts' });
    const text = { name: 'aot_forward_graph', attempt: null, bytes: 950, log: 'a.log', offset: 0 };
    expect(artifactRow('/r', '0/0', text, 0)).toMatchObject({ label: 'aot_forward_graph', description: '950 B' });
    const large = artifactRow('/r', '0/0', { ...text, attempt: '1', bytes: 3_240_000 }, 1);
    expect(large.description).toBe('attempt 1 · 3.2 MB');
    expect(large.id).not.toBe(artifactRow('/r', '0/0', text, 0).id);
  });
});

describe('exports', () => {
  it('are counted, with those that have issues', () => {
    expect(exportsRow('/r', [DRAFT, CLEAN, FAILED])).toMatchObject({ description: '3 · 2 with issues', branch: true });
    expect(exportsRow('/r', [CLEAN]).description).toBe('1');
  });

  it('look like what became of them', () => {
    const icons = [DRAFT, CLEAN, FAILED].map((note, index) => exportRow('/r', note, index).icon);
    expect(icons).toEqual(['warning', 'pass', 'error']);
    expect([DRAFT, CLEAN].map((note, index) => exportRow('/r', note, index).branch)).toEqual([true, false]);
  });

  it('lead to the line of an issue', () => {
    const row = exportIssueRow('/r', ISSUE, 0, 0);
    expect(row).toMatchObject({ description: 'line 26', tooltip: 'The data decide `n > 3`\n/app/model.py:26' });
    expect(row.command?.arguments).toMatchObject([{ file: '/app/model.py', line: 25 }]);
    expect(exportIssueRow('/r', { ...ISSUE, file: null, line: null }, 0, 0).command).toBeUndefined();
  });
});
