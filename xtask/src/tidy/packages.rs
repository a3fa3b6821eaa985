//! The workspace's packages and which of them need which, as cargo knows them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::failure::{Doing, Failure, Result};
use crate::workspace::Workspace;

/// A package of ours.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// What the documents call it: its folder, without the leading `crates/`.
    pub(crate) role: String,
    pub(crate) folder: String,
    pub(crate) needs: Vec<Need>,
}

/// A dependency on another package of ours.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) for_tests: bool,
}

pub(crate) fn read(workspace: &Workspace) -> Result<Vec<Package>> {
    let mut cargo = workspace.cargo(["metadata", "--no-deps", "--format-version", "1"]);
    let output = cargo.output().doing("start cargo metadata")?;
    if !output.status.success() {
        return Err(Failure::new(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    let metadata = serde_json::from_slice(&output.stdout).doing("read cargo's metadata")?;
    Ok(parse(&metadata, workspace.root()))
}

fn parse(metadata: &Value, root: &Path) -> Vec<Package> {
    let packages = list(&metadata["packages"]);
    let folders: Vec<(&str, String)> = packages
        .iter()
        .map(|package| (text(&package["name"]), folder(package, root)))
        .collect();
    let role_of = |name: &str| {
        folders
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, folder)| role(folder))
    };
    packages
        .iter()
        .map(|package| {
            let folder = folder(package, root);
            let mut seen = BTreeSet::new();
            let needs = list(&package["dependencies"])
                .iter()
                .filter_map(|dependency| {
                    let name = text(&dependency["name"]);
                    let for_tests = dependency["kind"] == "dev";
                    let role = role_of(name)?;
                    seen.insert((name, for_tests)).then(|| Need {
                        name: name.to_owned(),
                        role,
                        for_tests,
                    })
                })
                .collect();
            Package {
                role: role(&folder),
                folder,
                needs,
            }
        })
        .collect()
}

fn folder(package: &Value, root: &Path) -> String {
    let manifest = Path::new(text(&package["manifest_path"]));
    let folder = manifest.parent().unwrap_or(manifest);
    folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .to_string_lossy()
        .replace('\\', "/")
}

fn role(folder: &str) -> String {
    folder.strip_prefix("crates/").unwrap_or(folder).to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_known_by_their_folder_and_only_ours_are_needs() {
        let metadata = serde_json::json!({"packages": [
            {"name": "p-core", "manifest_path": "/here/crates/core/Cargo.toml", "dependencies": []},
            {"name": "p-sqlite", "manifest_path": "/here/crates/stores/sqlite/Cargo.toml",
             "dependencies": [
                {"name": "bytes", "kind": null},
                {"name": "p-core", "kind": null},
                {"name": "p-core", "kind": "dev"}]}
        ]});
        let packages = parse(&metadata, Path::new("/here"));
        let need = |for_tests| Need {
            name: "p-core".into(),
            role: "core".into(),
            for_tests,
        };
        assert_eq!(packages[1].role, "stores/sqlite");
        assert_eq!(packages[1].folder, "crates/stores/sqlite");
        assert_eq!(packages[1].needs, [need(false), need(true)]);
    }
}
