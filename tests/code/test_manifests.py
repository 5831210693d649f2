"""What the files of package managers say that a project depends on."""

from __future__ import annotations

import pytest

from ragforge_memory.code.manifests import dependencies_in, is_manifest

PYPROJECT = """
[project]
dependencies = ["MarkupSafe>=3.0"]
[project.optional-dependencies]
i18n = ["Babel"]
[dependency-groups]
tests = ["pytest", {include-group = "dev"}]
[tool.poetry.dependencies]
click = {version = "^8", optional = true}
"""
POM = """
<dependencyManagement><dependency><artifactId>managed</artifactId></dependency></dependencyManagement>
<dependency><groupId>com.x</groupId><artifactId>core</artifactId><version>1.2</version></dependency>
<!-- <dependency><artifactId>gone</artifactId></dependency> -->
<dependency><groupId>junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency>
"""


@pytest.mark.parametrize(
    ("path", "text", "groups"),
    [
        ("pyproject.toml", PYPROJECT, {
            "dependencies": ["MarkupSafe>=3.0", "click ^8"], "optional i18n": ["Babel"], "group tests": ["pytest"],
        }),
        ("setup.cfg", "[options]\ninstall_requires =\n  a>=20\n  six\n", {"install_requires": ["a>=20", "six"]}),
        ("docs/requirements-dev.txt", "# all\n-r x.txt\nruff==1  # lint\n", {"requirements": ["ruff==1"]}),
        ("package.json", '{"dependencies": {"a": "^1"}, "devDependencies": {"b": "2"}, "peerDependencies": {}}',
         {"dependencies": ["a ^1"], "devDependencies": ["b 2"]}),
        ("composer.json", '{"require": {"php": ">=8"}}', {"require": ["php >=8"]}),
        ("Cargo.toml", '[dependencies]\nserde = "1"\nown = {path = "../own"}\n', {"dependencies": ["serde 1", "own"]}),
        ("arc/go.mod", "module x\nrequire a.b/c v1.0.0\nrequire (\n\td.e/f v2.0.0 // indirect\n)\n",
         {"require": ["a.b/c v1.0.0"], "indirect": ["d.e/f v2.0.0"]}),
        ("pom.xml", POM, {"dependencies": ["com.x:core:1.2"], "test": ["junit:junit"]}),
        ("build.gradle", "dependencies {\n  implementation 'a:b:1'\n  testImplementation(\"c:d:2\")\n}\n",
         {"implementation": ["a:b:1"], "testImplementation": ["c:d:2"]}),
        ("Gemfile", "gem 'rack', '~> 2'\ngem \"rake\"\n", {"gems": ["rack, ~> 2", "rake"]}),
        ("App.csproj", '<PackageReference Include="Dapper" Version="2.0" />', {"packages": ["Dapper 2.0"]}),
        ("go.mod", "module x\n", {}),
    ],
)  # fmt: skip
def test_what_is_stated(path: str, text: str, groups: dict[str, list[str]]) -> None:
    assert is_manifest(path)
    assert dependencies_in(path, text) == groups


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "x"), ("package.json", "[]"), ("package.json", "{"), ("pyproject.toml", "= 1"),
        ("pyproject.toml", "project = 1"), ("setup.cfg", "x"), ("package-lock.json", "{}"),
    ],
)  # fmt: skip
def test_what_is_no_such_file_or_broken_states_nothing(path: str, text: str) -> None:
    assert dependencies_in(path, text) is None
