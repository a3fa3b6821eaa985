//! Asks again and again, and prints how long the answers took.

use std::path::Path;

use super::ask::Ask;
use super::keeper::Keeper;
use super::stuck::Stuck;
use crate::failure::Outcome;
use crate::flavor::Flavor;
use crate::sample::Sample;
use crate::table::Table;

/// How long an answer may take, in milliseconds.
const LIMIT_MILLIS: f64 = 50.0;

/// The answers to one question in one situation.
struct Answers {
    keeper: &'static str,
    stuck: Stuck,
    ask: Ask,
    millis: Sample,
}

/// Measures and prints. The file stays in `folder`.
///
/// # Errors
/// When a projection does not answer, or wrongly.
pub fn report(folder: &Path, asked: u64) -> Outcome<()> {
    let all = Flavor::Threads
        .runtime()?
        .block_on(measure(folder, asked))?;
    println!("answers of a projection that is stuck, {asked} of each, wall time in milliseconds\n");
    print!("{}", table(&all));
    let worst = all.iter().map(|answers| answers.millis.worst());
    let worst = worst.fold(f64::NAN, f64::max);
    println!("\nthe worst of all: {worst:.3} ms; the limit: {LIMIT_MILLIS} ms");
    Ok(())
}

async fn measure(folder: &Path, asked: u64) -> Outcome<Vec<Answers>> {
    let mut all = Vec::new();
    for keeper in Keeper::all(folder)? {
        for stuck in Stuck::ALL {
            for ask in Ask::ALL {
                let mut millis = Sample::default();
                for _ in 0..asked {
                    let answered = keeper.ask(ask, stuck).await?;
                    millis.push(answered.as_secs_f64() * 1e3);
                }
                all.push(Answers {
                    keeper: keeper.name(),
                    stuck,
                    ask,
                    millis,
                });
            }
        }
    }
    Ok(all)
}

fn table(all: &[Answers]) -> Table {
    let mut table = Table::new(&["store", "while", "call", "median ms", "worst ms"]);
    for answers in all {
        table.row([
            answers.keeper.to_owned(),
            answers.stuck.name().to_owned(),
            answers.ask.name().to_owned(),
            format!("{:.3}", answers.millis.median()),
            format!("{:.3}", answers.millis.worst()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn everyone_answers_in_every_situation() {
        let folder = tempfile::tempdir().unwrap();
        let all = measure(folder.path(), 2).await.unwrap();
        assert_eq!(all.len(), 3 * Stuck::ALL.len() * Ask::ALL.len());
        assert!(all.iter().all(|answers| answers.millis.runs() == 2));
    }
}
