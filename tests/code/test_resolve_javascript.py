"""What an import of JavaScript and TypeScript means: modules, workspaces, package.json and tsconfig.json."""

from __future__ import annotations

import pytest

from tests.code.graphs import shown


@pytest.mark.parametrize(
    ("module", "text", "target"),
    [
        ("export function f() {}", "import { f as g } from './m'; g();", "f"),
        ("function f() {} export { f as default };", "import g from './m.js'; g();", "f"),
        ("exports.f = function () {};", "const { f } = require('./m'); f();", "f"),
        ("module.exports = { f() {} };", "require('./m'); const m = require('./m'); m.f();", "f"),
        ("export class A { static f() {} }", "import { A } from './m'; A.f();", "A.f"),
        ("export class A { f() { return this; } }", "import { A } from './m'; new A().f().f();", "A.f"),
        ("export class A { f() {} }", "import { A } from './m'; const a: A = x as any; a.f();", "A.f"),
        ("export class A { f() {} }", "import { A } from './m'; (x as A).f();", "A.f"),
    ],
)
def test_modules_of_javascript(module: str, text: str, target: str) -> None:
    typed = ": A" in text or " as A" in text
    found = shown(
        {"src/m.js": module, f"src/main.{'ts' if typed else 'js'}": text}, f"src/main.{'ts' if typed else 'js'}"
    )
    assert any(line.startswith(f"<top> CONSUMES src/m.js:{target} 1()") for line in found)


def test_this_in_members_of_an_object_that_has_those_of_another() -> None:
    source = (
        "var base = { log() {} };\nvar res = Object.create(base);\nmodule.exports = res;\n"
        "res.send = function send() { this.json(); this.log(); this.quit(); };\nres.json = function () {};\n"
        "var foreign = Object.create(http.ServerResponse.prototype);\n"
        "foreign.write = function () { this.flush(); this.quit(); };\nforeign.flush = function () {};\n"
    )
    found = shown({"a.js": source}, "a.js")
    for use in ("res.send CONSUMES res.json 4()", "res.send CONSUMES base.log 4()"):
        assert use in found
    assert "foreign.write CONSUMES foreign.flush 7()" in found
    assert not any("quit" in each for each in found)


def test_workspaces_and_aliases_of_javascript() -> None:
    sources = {
        "packages/tools/src/index.ts": "export * from './grow';",
        "packages/tools/src/grow.ts": "export const grow = () => 1;",
        "app/src/lib/paint.ts": "export function paint() {}",
        "app/src/main.ts": "import { grow } from '@acme/tools';\nimport { paint } from '@/lib/paint';\n"
        "grow(); paint();",
    }
    assert shown(sources, "app/src/main.ts") == [
        "<top> CONSUMES app/src/lib/paint.ts:paint 3()",
        "<top> CONSUMES packages/tools/src/grow.ts:grow 3()",
    ]


PACKAGE = '{"name": "@me/store", "exports": {".": {"types": "./dist/index.d.ts"}, "./extra": ["./lib/more.ts"]}}'
TSCONFIG = """{
  // a comment, "quoted"
  "compilerOptions": {
    "baseUrl": "web", /* another */
    "paths": {"app": ["./gone.ts", "./main.ts"], "@/*": ["parts/*"], "u//*": ["./deep/*.ts",],},
  },
}"""


@pytest.mark.parametrize(
    ("path", "module", "target"),
    [
        ("tests/a.ts", "@me/store", "src/index.ts"),  # what is built is not there
        ("tests/a.ts", "@me/store/extra", "lib/more.ts"),
        ("tests/a.ts", "@me/store/inner", "src/inner.ts"),
        ("web/a.ts", "app", "web/main.ts"),
        ("web/a.ts", "@/inner", "web/parts/inner.ts"),
        ("web/a.ts", "u//x", "web/deep/x.ts"),
        ("web/a.ts", "parts/inner", "web/parts/inner.ts"),
        ("web/own/a.ts", "app", "web/own/app.ts"),  # the nearest one's word
        ("web/a.ts", "lib", None),
    ],
)
def test_what_package_json_and_tsconfig_say_of_a_module_is_followed(path: str, module: str, target: str | None) -> None:
    files = ("src/index.ts", "src/inner.ts", "lib/more.ts", "web/main.ts", "web/parts/inner.ts", "web/deep/x.ts")
    sources = {
        "package.json": PACKAGE,
        "tsconfig.json": TSCONFIG,
        "web/own/tsconfig.json": '{"compilerOptions": {"paths": {"app": ["./app.ts"]}}}',
        "web/own/package.json": "[broken",
        **dict.fromkeys((*files, "web/own/app.ts"), "export function make() {}\n"),
        path: f"import {{ make }} from '{module}'\nmake()\n",
    }
    assert shown(sources, path) == ([f"<top> CONSUMES {target}:make 2()"] if target else [])


@pytest.mark.parametrize(
    ("extends", "files"),
    [
        ('"../config/shared.json"', {}),  # no name of a tsconfig's
        ('"../gone"', {}),
        ('"../config/tsconfig.shared.json"', {"config/tsconfig.shared.json": '{"compilerOptions": PATHS}'}),
        ('"../config"', {"config/tsconfig.json": '{"compilerOptions": PATHS}'}),
        ('["./tsconfig.none.json", "../config"]', {"config/tsconfig.json": '{"compilerOptions": PATHS}'}),
        (  # a chain that comes back to where it began
            '"../config"',
            {
                "config/tsconfig.json": '{"extends": ["../a/tsconfig.b.json", "../web/tsconfig.json"]}',
                "a/tsconfig.b.json": '{"extends": "../config/tsconfig.json", "compilerOptions": PATHS}',
            },
        ),
    ],
)
def test_what_a_tsconfig_takes_over_is_followed(extends: str, files: dict[str, str]) -> None:
    # Paths are as seen from the file where they are written.
    paths = '{"paths": {"app": ["../web/deep/app.ts"]}}'
    sources = {
        "web/tsconfig.json": f'{{"extends": {extends}}}',
        "web/deep/app.ts": "export function make() {}\n",
        "web/a.ts": "import { make } from 'app'\nmake()\n",
        **{path: text.replace("PATHS", paths) for path, text in files.items()},
    }
    assert shown(sources, "web/a.ts") == (["<top> CONSUMES web/deep/app.ts:make 2()"] if files else [])


def test_a_tsconfigs_own_paths_go_before_what_it_takes_over() -> None:
    sources = {
        "web/tsconfig.json": '{"extends": "../base/a", "compilerOptions": {"paths": {"app": ["./own.ts"]}}}',
        "base/a/tsconfig.json": '{"compilerOptions": {"paths": {"app": ["../app.ts"], "lib": ["../app.ts"]}}}',
        **dict.fromkeys(("web/own.ts", "base/app.ts"), "export function make() {}\n"),
    }
    for name, target in (("app", "web/own.ts"), ("lib", "base/app.ts")):
        asked = {**sources, "web/a.ts": f"import {{ make }} from '{name}'\nmake()\n"}
        assert shown(asked, "web/a.ts") == [f"<top> CONSUMES {target}:make 2()"]


def test_the_paths_of_a_tsconfig_hold_below_it_alone() -> None:
    sources = {
        "web/tsconfig.json": '{"compilerOptions": {"paths": {"app": ["./app.ts"]}}}',
        "web/app.ts": "export function make() {}\n",
        "other/a.ts": "import { make } from 'app'\nmake()\n",
    }
    assert shown(sources, "other/a.ts") == []


@pytest.mark.parametrize(
    ("declared", "used", "expected"),
    [
        ("class A { m() {} }\nexport namespace A { export function f() {} }", "A.f(); new A().m()", ["A.f", "A.m"]),
        ("namespace A { export function f() {} }\nexport enum A { X }", "A.f(); A.X", ["A.f", "A.X"]),
        ("function A() {}\nexport namespace A { export function f() {} }", "A(); A.f()", ["A", "A.f"]),
        ("interface A { m(): void }\nexport interface A { n(): void }", "let a: A; a.m(); a.n()", ["A.m", "A.n"]),
        ("type A = string\nexport namespace A { export function f() {} }", "A.f()", ["A.f"]),
        ("namespace A.B.C { export function f() {} }", "A.B.C.f()", ["A.B.C.f"]),
        ("namespace A.B { export function f() {} }\n"
         "export namespace A { export namespace B { export function g() {} } }",
         "A.B.f(); A.B.g()", ["A.B.f", "A.B.g"]),
        ("namespace A { export function f() {} }\nexport namespace A { export function g() {} }", "A.f(); A.g()",
         ["A.f", "A.g"]),
    ],
)  # fmt: skip
def test_declarations_of_one_name_are_merged(declared: str, used: str, expected: list[str]) -> None:
    sources = {"a.ts": f"export {declared}\n", "b.ts": f"import {{ A }} from './a'\n{used}\n"}
    found = [line.split("a.ts:")[1].split(" ")[0] for line in shown(sources, "b.ts")]
    assert set(expected) <= set(found), found


def test_what_another_part_of_a_namespace_exports_is_called_by_its_name() -> None:
    text = """namespace App { export function start() {} function own() {} }
function own() {}
namespace App { function run() { start(); own() } }
namespace App.Inner { export function deep() { start() } }
namespace App { export namespace Inner { function more() { deep() } } }
"""
    assert shown({"a.ts": text}, "a.ts") == [
        "App.run CONSUMES App.start 3()",
        "App.run CONSUMES own 3()",
        "App.Inner.deep CONSUMES App.start 4()",
        "App.Inner.more CONSUMES App.Inner.deep 5()",
    ]


def test_declarations_are_merged_inside_of_a_namespace() -> None:
    inside = "export class A {} export namespace A { export function f() {} }"
    sources = {"a.ts": f"export namespace N {{ {inside} }}\n", "b.ts": "import { N } from './a'\nN.A.f()\n"}
    assert "<top> CONSUMES a.ts:N.A.f 2()" in shown(sources, "b.ts")


def test_a_class_and_a_namespace_elsewhere_are_two() -> None:
    sources = {
        "a.ts": "export class A { m() {} }\n",
        "b.ts": "export namespace A { export function f() {} }\n",
        "c.ts": "import { A } from './a'\nA.f()\n",
    }
    assert not any("A.f" in line for line in shown(sources, "c.ts"))
