import { describe, expect, test } from 'vitest';
import type { StageInfo } from '../../src/shared/messages';
import { findCrumb, locate, shown, stageBar } from './stages';

const info = (
  graph: string,
  stage: string,
  position: string,
  snapshot: string | null,
  nodes = 10,
  edges = 12,
): StageInfo => ({
  graph: `0/0/${graph}`,
  stage,
  position,
  label: stage,
  snapshot,
  nodes,
  edges,
  unavailable: snapshot === null ? 'needs torch 2.7' : null,
  cause: snapshot === null ? 'hook' : null,
});

const TRAINING = [
  info('dynamo', 'dynamo', 'after', 'd'),
  info('dynamo', 'pre_grad', 'after', null),
  info('joint', 'joint', 'before', 'j0', 882, 1159),
  info('joint', 'joint', 'after', 'j1', 889, 1182),
  info('forward', 'post_grad', 'before', 'f0', 431),
  info('forward', 'post_grad', 'after', 'f1', 431),
  info('forward', 'scheduler', 'before', 's0', 129),
  info('forward', 'scheduler', 'after', 's1', 67),
  info('backward', 'post_grad', 'before', 'b0', 543),
  info('backward', 'post_grad', 'after', 'b1', 543),
];

const labels = (stages: StageInfo[], direction: string | null = null): string[][] =>
  stageBar(stages, direction).steps.map((step) => step.map((crumb) => crumb.label));

describe('stage bar', () => {
  test('follows the graph through the compiler, forward and backward side by side', () => {
    expect(labels(TRAINING)).toEqual([
      ['Dynamo'],
      ['Pre-grad'],
      ['Joint'],
      ['Forward', 'Backward'],
      ['Post-grad'],
      ['Scheduler'],
    ]);
  });

  test('Δ counts nodes and edges, within one kind of graph only', () => {
    const crumbs = stageBar(TRAINING, null).steps.flat();
    const delta = Object.fromEntries(crumbs.map((crumb) => [crumb.key, crumb.delta]));
    expect(delta).toEqual({
      dynamo: null,
      pre_grad: null,
      joint: 882 - 889 + (1159 - 1182),
      'partition:forward': null,
      'partition:backward': null,
      post_grad: 0,
      scheduler: null,
    });
    expect(crumbs.find((crumb) => crumb.key === 'post_grad')!.changed).toBe(true);
  });

  test('the direction chooses the later stages', () => {
    const crumb = stageBar(TRAINING, 'backward')
      .steps.flat()
      .find((c) => c.key === 'post_grad')!;
    expect([crumb.before!.snapshot, crumb.after!.snapshot]).toEqual(['b0', 'b1']);
  });

  test('of the buckets of DDP the chosen one is shown from the start', () => {
    const buckets = ['', '#1'].flatMap((part) => [
      info(`dynamo${part}`, 'pre_grad', 'after', `p${part}`),
      info(`joint${part}`, 'aot', 'after', `j${part}`),
      info(`forward${part}`, 'post_grad', 'after', `f${part}`),
      info(`backward${part}`, 'post_grad', 'after', `b${part}`),
    ]);
    const bar = stageBar(buckets, 'backward#1');
    expect(bar.directions).toEqual(['forward', 'backward', 'forward#1', 'backward#1']);
    expect(bar.steps.flat().flatMap((crumb) => crumb.after?.snapshot ?? [])).toEqual(
      expect.arrayContaining(['p#1', 'j#1', 'b#1']),
    );
    const first = stageBar(buckets, 'forward').steps.flat();
    expect(first.find((crumb) => crumb.key === 'pre_grad')!.after!.snapshot).toBe('p');
  });

  test('a stage that was not recorded keeps the reason', () => {
    expect(findCrumb(stageBar(TRAINING, null), 'pre_grad')).toMatchObject({
      unavailable: 'needs torch 2.7',
      cause: 'hook',
    });
  });

  test('an inference graph has no split', () => {
    const stages = [
      info('dynamo', 'dynamo', 'after', 'd'),
      info('inference', 'post_grad', 'before', 'p0'),
      info('inference', 'post_grad', 'after', 'p1'),
    ];
    expect(labels(stages)).toEqual([['Dynamo'], ['Post-grad']]);
  });

  test("torch's own trace has AOT graphs", () => {
    const stages = [
      info('dynamo', 'dynamo', 'after', 'd'),
      info('joint', 'aot', 'after', 'aj'),
      info('forward', 'aot', 'after', 'af'),
      info('backward', 'aot', 'after', 'ab'),
      info('inference', 'post_grad', 'after', 'p'),
    ];
    expect(labels(stages, 'forward')[1]).toEqual(['AOT']);
    expect(
      stageBar(stages, null)
        .steps.flat()
        .map((crumb) => crumb.after!.snapshot),
    ).toEqual(expect.arrayContaining(['d', 'aj', 'af', 'ab']));
  });

  test('the last attempt counts', () => {
    const retry = { ...info('dynamo', 'dynamo', 'after', 'd2'), graph: '0/0_1/dynamo' };
    expect(stageBar([info('dynamo', 'dynamo', 'after', 'd1'), retry], null).steps[0][0].after!.snapshot).toBe('d2');
  });

  test('a missing stage falls back to the one before', () => {
    const bar = stageBar(TRAINING.slice(0, 4), null);
    expect(findCrumb(bar, 'scheduler')!.key).toBe('joint');
    expect(findCrumb(bar, null)!.key).toBe('dynamo');
    expect(findCrumb(stageBar([], null), 'joint')).toBeNull();
  });

  test('a snapshot is found again', () => {
    expect(locate(TRAINING, 'b1')).toEqual({ key: 'post_grad', direction: 'backward', position: 'after' });
    expect(locate(TRAINING, 'nowhere')).toBeNull();
    const joint = findCrumb(stageBar(TRAINING, null), 'joint')!;
    expect([shown(joint, 'before')!.snapshot, shown(joint, 'after')!.snapshot]).toEqual(['j0', 'j1']);
  });
});
