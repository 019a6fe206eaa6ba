"""Reading a layer: imports, links, folders, bounds, and what is no policy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource, read_layer, source_layer
from policy.source.limits import Limits

ROUTE = 'route "desk" { allow order.read }\n'


def write(folder: Path, **files: str) -> Path:
    """Write `NAME.policy` files; two underscores in a name stand for a slash."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.policy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def found(layer: LayerSource) -> list[str]:
    return [f"{item.code}: {item.message}" for item in layer.diagnostics]


def compiled(layer: LayerSource) -> Compiled:
    return compile_layers([layer])


def errors(result: Compiled) -> list[str]:
    return [item.code for item in result.diagnostics if item.is_error]


def test_a_file_is_a_layer_named_without_its_ending(tmp_path: Path) -> None:
    layer = read_layer(write(tmp_path, payments=ROUTE) / "payments.policy")
    assert (layer.name, layer.root, found(layer)) == ("payments", str(tmp_path.resolve()), [])
    assert [source.name for source in layer.files] == [str(tmp_path / "payments.policy")]


def test_a_folder_is_one_layer_of_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "acme.policy", b=ROUTE, a="define x1 = 5\n", deeper__c="define y1 = 5\n")
    (folder / "notes.txt").write_text("no policy", encoding="utf-8")
    layer = read_layer(folder)
    assert layer.name == "acme"
    assert [Path(source.name).name for source in layer.files] == ["a.policy", "b.policy"]
    program = compiled(layer).policy
    assert program is not None
    assert program.layers[0].routes == ("desk",)


def test_imports_are_read_depth_first_each_real_path_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        main=f'import "shared/a.policy"\nimport "shared/../shared/b.policy"\n{ROUTE}',
        shared__a='import "b.policy"\ndefine x1 = y1\n',
        shared__b="define y1 = 5\n",
    )
    layer = read_layer(tmp_path / "main.policy")
    assert found(layer) == []
    assert [Path(source.name).relative_to(tmp_path).as_posix() for source in layer.files] == [
        "main.policy",
        "shared/a.policy",
        "shared/b.policy",
    ]
    assert compiled(layer).policy is not None


def test_a_loop_of_imports_names_its_files(tmp_path: Path) -> None:
    write(tmp_path, a=f'import "b.policy"\n{ROUTE}', b='import "c.policy"\n', c='\nimport "a.policy"\n')
    layer = read_layer(tmp_path / "a.policy")
    (finding,) = layer.diagnostics
    names = [str(tmp_path / f"{name}.policy") for name in "abca"]
    assert finding.message == f"files import each other in a loop: {' → '.join(f'`{name}`' for name in names)}"
    assert (finding.code, finding.location) == ("load.import_cycle", f"{tmp_path / 'c.policy'}:2:8")
    assert compiled(layer).policy is None


def test_a_file_that_imports_itself_is_a_loop(tmp_path: Path) -> None:
    layer = read_layer(write(tmp_path, a=f'import "a.policy"\n{ROUTE}') / "a.policy")
    assert [item.code for item in layer.diagnostics] == ["load.import_cycle"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("/etc/a.policy", 'load.import_path: `"/etc/a.policy"` is no relative path'),
        ("c:/a.policy", 'load.import_path: `"c:/a.policy"` is no relative path'),
        ("", 'load.import_path: `""` is no relative path'),
        ("a.txt", 'load.import_path: `"a.txt"` does not end in `.policy`'),
        ("../outside.policy", "load.outside_root: `../outside.policy` lies out of the folder of this policy"),
        ("link.policy", "load.outside_root: `link.policy` lies out of the folder of this policy"),
        ("nobody.policy", "load.not_found: `nobody.policy` does not exist"),
        ("main.policy/a.policy", "load.not_found: `main.policy/a.policy` does not exist"),
        ("folder.policy", "load.unreadable: `folder.policy` is a folder, not a file"),
        ("pipe.policy", "load.unreadable: `pipe.policy` is not a regular file"),
        ("endless.policy", "load.unreadable: `endless.policy` cannot be read: its links lead in a loop"),
    ],
)
def test_imports_that_lead_nowhere_are_told_at_their_place(tmp_path: Path, written: str, message: str) -> None:
    (tmp_path / "outside.policy").write_text("define x1 = 5\n", encoding="utf-8")
    root = write(tmp_path / "root", main=f'{ROUTE}import "{written}"\n')
    (root / "link.policy").symlink_to(tmp_path / "outside.policy")
    (root / "endless.policy").symlink_to(root / "endless.policy")
    (root / "folder.policy").mkdir()
    os.mkfifo(root / "pipe.policy")
    layer = read_layer(root / "main.policy")
    assert found(layer) == [message]
    assert layer.diagnostics[0].location == f"{root / 'main.policy'}:2:8"
    assert compiled(layer).policy is None


def test_a_link_within_the_root_is_followed_and_read_once(tmp_path: Path) -> None:
    write(tmp_path, a=ROUTE)
    (tmp_path / "b.policy").symlink_to(tmp_path / "a.policy")
    layer = read_layer(tmp_path)
    assert [Path(source.name).name for source in layer.files] == ["a.policy"]


def test_a_file_of_the_folder_that_leads_out_of_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside.policy").write_text(ROUTE, encoding="utf-8")
    root = write(tmp_path / "root", a=ROUTE)
    (root / "b.policy").symlink_to(tmp_path / "outside.policy")
    layer = read_layer(root)
    assert found(layer) == [f"load.outside_root: `{root / 'b.policy'}` lies out of the folder of this policy"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nobody.policy", "load.not_found: `{}` does not exist"),
        ("empty", "load.no_policy: `{}` holds no `.policy` file"),
        ("rules.txt", "load.no_policy: `{}` does not end in `.policy`"),
        ("pipe.policy", "load.unreadable: `{}` is not a regular file"),
        ("nul\0.policy", "load.unreadable: `{}` cannot be read: no file has such a name"),
    ],
)
def test_paths_that_are_no_policy(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "rules.txt").write_text(ROUTE, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.policy")
    layer = read_layer(tmp_path / path)
    assert found(layer) == [message.format(tmp_path / path)]
    assert errors(compiled(layer)) == [layer.diagnostics[0].code]


def test_a_file_is_measured_before_it_is_read(tmp_path: Path) -> None:
    layer = read_layer(write(tmp_path, a=ROUTE, b=ROUTE * 40), Limits(file_bytes=100))
    assert found(layer) == [
        f"load.too_large: `{tmp_path / 'b.policy'}` has more than 100 bytes; split it and import the parts"
    ]


def test_bytes_that_are_no_text_are_told_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.policy").write_bytes(b'route "d\xff" { }\n')
    assert [(item.code, item.line, item.column) for item in read_layer(tmp_path).diagnostics] == [
        ("syntax.encoding", 1, 9)
    ]


def test_a_header_stands_once_and_not_in_an_imported_file(tmp_path: Path) -> None:
    header = 'policy "{}" {{ version "1" }}\n'
    write(tmp_path, main=f'{header.format("a")}import "part.policy"\n{ROUTE}', part=header.format("b"))
    for path in (tmp_path / "main.policy", tmp_path):
        assert errors(compiled(read_layer(path))) == ["load.header_in_import"]
    write(tmp_path, main=f"{header.format('a')}{ROUTE}")
    assert errors(compiled(read_layer(tmp_path))) == ["load.second_header"]


def test_a_text_without_a_file_imports_nothing() -> None:
    result = compiled(source_layer(f'import "a.policy"\n{ROUTE}'))
    assert errors(result) == ["load.import_in_source"]


def test_one_file_imported_twice_by_the_same_file_is_told(tmp_path: Path) -> None:
    write(tmp_path, main=f'import "a.policy"\nimport "./a.policy"\n{ROUTE}', a="define x1 = 5\n")
    assert found(read_layer(tmp_path / "main.policy")) == ["name.repeated: `./a.policy` is imported twice"]


def test_statements_are_bounded_over_all_files(tmp_path: Path) -> None:
    write(tmp_path, a=ROUTE * 3, b=ROUTE * 3)
    limits = Limits(statements=5)
    result = compile_layers([read_layer(tmp_path, limits)], limits)
    assert errors(result) == ["load.too_many_statements"]
    assert compile_layers([read_layer(tmp_path)], Limits(statements=6)).policy is not None
