//! The envelope as it stands in a file.

use super::expression_text::push_steps;
use super::json::Json;
use crate::model::{Envelope, Step};

/// The value of `envelope`.
pub(super) fn envelope(envelope: &Envelope) -> Json {
    match envelope {
        Envelope::Causet => Json::text("causet"),
        Envelope::CloudEvents => Json::text("cloudevents"),
        Envelope::Debezium { key } => {
            let key = Json::texts(key.iter().map(|column| &**column));
            let debezium = Json::Object(vec![("key".to_owned(), key)]);
            Json::Object(vec![("debezium".to_owned(), debezium)])
        }
        Envelope::Places(places) => {
            let optional = [
                ("sequence", &places.sequence),
                ("ts", &places.ts),
                ("tenant", &places.tenant),
                ("fork", &places.fork),
                ("payload", &places.payload),
            ];
            let required = [("type", &places.event_type), ("entity", &places.entity)];
            let optional = optional
                .into_iter()
                .filter_map(|(name, place)| Some((name, place.as_ref()?)));
            let all = required.into_iter().chain(optional);
            Json::Object(
                all.map(|(name, steps)| (name.to_owned(), Json::Text(place(steps))))
                    .collect(),
            )
        }
    }
}

/// A place in a record, such as `$.at[0]`.
fn place(steps: &[Step]) -> String {
    let mut text = String::from("$");
    push_steps(&mut text, steps);
    text
}
