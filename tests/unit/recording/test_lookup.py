"""Files of a name below some folders."""

from __future__ import annotations

from compilescope.recording.lookup import named


def test_the_nearest_come_first_and_each_once(tmp_path):
    for name in ("a/b/x.py", "x.py", "c/x.py", "c/y.py", ".venv/x.py", "node_modules/x.py", "a/__pycache__/x.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "again").symlink_to(tmp_path / "c", target_is_directory=True)
    found = named({"x.py", "z.py"}, [str(tmp_path), str(tmp_path), str(tmp_path / "gone")])
    assert found == {"x.py": [str(tmp_path / name) for name in ("x.py", "c/x.py", "a/b/x.py")]}


def test_a_folder_with_more_than_is_looked_at(tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.py").touch()
    names = {f"{number}.py" for number in range(30)}
    assert len(named(names, [str(tmp_path)], most=10)) == 10
