//! Brings the tables of a target to what a file declares, before anything runs.

use std::path::Path;
use std::sync::Arc;

use projectionist_apply::plain_table;
use projectionist_core::contract::{
    Declaration, DeclarationStore, Deployed, Deployment, NewDeclaration, OffsetStore,
    StoredDeclaration, TableDeployment,
};
use projectionist_core::row::TableName;
use projectionist_core::{Error, LaneState, ProjectionId};
use projectionist_language::diff::diff_all;
use projectionist_language::ir::COMPILER;
use projectionist_language::model::Projection;
use projectionist_language::{Change, Program, declaration_hash, declaration_text, parse};
use projectionist_store_sqlite::SqliteStore;

use super::diff::refusal;
use super::files::from_anywhere;
use super::tables::{applied, refuse_missing};
use crate::args::RunArguments;
use crate::exit::{Failure, both};
use crate::place::Source;

/// A tenant; `None` where there is none.
type Tenant = Option<Arc<str>>;

/// What is brought into a target.
pub(super) struct Deploying<'a> {
    program: &'a Program,
    /// Indexes into the projections of the program.
    chosen: Vec<usize>,
    /// The file, so that it is known which declarations are its own.
    origin: String,
    /// The tenants whose tables are made at once.
    create: Vec<Tenant>,
    /// What is read from, when something is.
    source: Option<String>,
    /// Whether a change that needs a rebuild is taken for what follows, where the shape allows it.
    from_now_on: bool,
}

/// What there is to do.
pub(super) struct Steps {
    /// The changes of the declarations.
    pub(super) changes: Vec<Change>,
    /// The tables that are made.
    pub(super) made: Vec<TableName>,
    deployment: Deployment,
}

impl Steps {
    fn is_empty(&self) -> bool {
        let Deployment {
            tables,
            declarations,
            withdrawn,
        } = &self.deployment;
        tables.is_empty() && declarations.is_empty() && withdrawn.is_empty()
    }
}

impl<'a> Deploying<'a> {
    /// What a run brings: tables are made when their first row comes.
    pub(super) fn by_run(program: &'a Program, chosen: &[usize], arguments: &RunArguments) -> Self {
        Self {
            program,
            chosen: chosen.to_vec(),
            origin: absolute(arguments.file()),
            create: Vec::new(),
            source: Some(match &arguments.from {
                Source::StandardInput => "-".to_owned(),
                files => from_anywhere(files).to_string(),
            }),
            from_now_on: false,
        }
    }

    /// All of a file, with the tables of these tenants and those without one.
    pub(super) fn whole(program: &'a Program, file: &Path, tenants: &[Arc<str>]) -> Self {
        let tenants = tenants.iter().cloned().map(Some);
        Self {
            program,
            chosen: (0..program.projections.len()).collect(),
            origin: absolute(file),
            create: [None].into_iter().chain(tenants).collect(),
            source: None,
            from_now_on: false,
        }
    }

    /// The same, with changes of what events do taken for those that follow. The store still
    /// refuses a table that would have to get another shape than by an addition.
    pub(super) fn holding_from_now_on(self) -> Self {
        Self {
            from_now_on: true,
            ..self
        }
    }

    fn projections(&self) -> impl Iterator<Item = &'a Projection> {
        let chosen = self.chosen.iter();
        chosen.filter_map(|index| self.program.projections.get(*index))
    }

    /// Does all that there is to do, and tells what it was. Refuses what is more than an addition,
    /// and then changes nothing.
    pub(super) async fn bring_up(&self, store: &SqliteStore) -> Result<Steps, Failure> {
        let steps = loop {
            let steps = self.steps(store).await?;
            if steps.is_empty() {
                break steps;
            }
            match store.deploy(&steps.deployment).await? {
                Deployed::Done => break steps,
                // Another process was faster: what there is to do may be less now, or refused.
                Deployed::Superseded => {}
            }
        };
        if let Some(source) = &self.source {
            let kept = store.declarations().await?;
            for projection in self.projections() {
                if stored(&kept, &projection.name).is_some_and(|kept| kept.source.is_none()) {
                    store.note_source(&projection.name, source).await?;
                }
            }
        }
        Ok(steps)
    }

    /// What there is to do.
    pub(super) async fn steps(&self, store: &SqliteStore) -> Result<Steps, Failure> {
        // Before the tables: a run of another process makes them no later than it counts events.
        let lanes = store.lanes().await?;
        let kept = store.declarations().await?;
        let changes = self.changes(&kept)?;
        if let Some(refused) = refusal(&changes, self.from_now_on) {
            return Err(refused);
        }
        let mut steps = Steps {
            changes,
            made: Vec::new(),
            deployment: Deployment::default(),
        };
        let mut all = Ok(());
        for projection in self.projections() {
            let before = stored(&kept, &projection.name);
            let one = self.step(store, projection, before, &lanes, &mut steps);
            let one = one.map_err(|error| Failure::not_started(&projection.name, &error));
            all = both(all, one);
        }
        all?;
        let gone = kept.iter().filter(|kept| {
            let name = &kept.declaration.projection;
            let declared = self
                .program
                .projections
                .iter()
                .any(|one| *one.name == **name);
            kept.declaration.origin == self.origin && !kept.withdrawn && !declared
        });
        steps.deployment.withdrawn = gone
            .map(|kept| kept.declaration.projection.clone())
            .collect();
        Ok(steps)
    }

    /// The changes of the chosen projections, and those that this file declares no more.
    fn changes(&self, kept: &[StoredDeclaration]) -> Result<Vec<Change>, Failure> {
        let mut changes = diff_all(&programs(kept)?, std::slice::from_ref(self.program));
        changes.retain(|change| {
            let chosen = self
                .projections()
                .any(|one| *one.name == *change.projection);
            let declared = self
                .program
                .projections
                .iter()
                .any(|one| *one.name == *change.projection);
            let own = stored(kept, &change.projection)
                .is_some_and(|kept| kept.declaration.origin == self.origin && !kept.withdrawn);
            chosen || (!declared && own)
        });
        Ok(changes)
    }

    /// Adds what there is to do for one projection.
    fn step(
        &self,
        store: &SqliteStore,
        projection: &Projection,
        before: Option<&StoredDeclaration>,
        lanes: &[(ProjectionId, LaneState)],
        steps: &mut Steps,
    ) -> Result<(), Error> {
        let table = plain_table(projection);
        let hash = declaration_hash(self.program, projection);
        let is_same = before.is_some_and(|before| before.declaration.hash == hash);
        // What a declaration does not tell the table itself must.
        if is_same || before.is_none() {
            store.check_tables(&table)?;
        }
        let there = store.existing_tables(&table.name.name)?;
        let applied = applied(lanes, &projection.name);
        refuse_missing(&table, there.len(), applied)?;
        let create = self.create.iter().map(|tenant| TableName {
            tenant: tenant.clone(),
            name: table.name.name.clone(),
        });
        let made: Vec<TableName> = create.filter(|name| !there.contains(name)).collect();
        if !is_same || !made.is_empty() {
            steps.deployment.tables.push(TableDeployment {
                table,
                create: made.iter().map(|name| name.tenant.clone()).collect(),
            });
        }
        steps.made.extend(made);
        let is_kept = before
            .is_some_and(|before| !before.withdrawn && before.declaration.origin == self.origin);
        if !is_same || !is_kept {
            steps.deployment.declarations.push(NewDeclaration {
                declaration: Declaration {
                    projection: projection.name.to_string(),
                    text: declaration_text(self.program, projection),
                    hash,
                    version: COMPILER.to_owned(),
                    origin: self.origin.clone(),
                },
                replaces: before.map(|before| before.declaration.hash.clone()),
            });
        }
        Ok(())
    }
}

/// The declarations that a target keeps, each a program of its own.
pub(super) async fn deployed_programs(store: &SqliteStore) -> Result<Vec<Program>, Failure> {
    programs(&store.declarations().await?)
}

pub(super) fn programs(kept: &[StoredDeclaration]) -> Result<Vec<Program>, Failure> {
    let programs = kept.iter().map(|kept| {
        let Declaration {
            projection,
            text,
            version,
            ..
        } = &kept.declaration;
        let name = format!("the declaration of {projection} that {version} deployed");
        parse(&name, text).map_err(|faults| Failure::at_run_time(faults.to_string()))
    });
    programs.collect()
}

fn stored<'k>(kept: &'k [StoredDeclaration], name: &str) -> Option<&'k StoredDeclaration> {
    kept.iter().find(|kept| kept.declaration.projection == name)
}

/// The path from the root, so that it is the same from every folder.
pub(super) fn absolute(path: &Path) -> String {
    let absolute = path.canonicalize().or_else(|_| std::path::absolute(path));
    absolute.as_deref().unwrap_or(path).display().to_string()
}
