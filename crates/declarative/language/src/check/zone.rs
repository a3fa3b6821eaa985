//! The zone of moments whose text has none: `tz`.

use crate::model::Zone;
use crate::report::Report;
use crate::source::Place;
use crate::suggest::did_you_mean;

/// The zone of that name or offset. `None` when it is none; that is reported.
pub(super) fn parse(report: &mut Report<'_>, place: Place, text: &str) -> Option<Zone> {
    if matches!(text, "UTC" | "Z") {
        return Some(Zone::Offset(0));
    }
    if text.starts_with(['+', '-']) {
        let offset = offset(text);
        if offset.is_none() {
            report.fault_with_help(
                place,
                format!("`{text}` is no offset from UTC"),
                "write hours and minutes as in `+02:00`, up to `23:59` in both directions",
            );
        }
        return offset.map(Zone::Offset);
    }
    if let Ok(zone) = text.parse() {
        return Some(Zone::Named(zone));
    }
    let names = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    report.fault_with_help(
        place,
        format!(
            "the tz database has no zone `{text}`{}",
            did_you_mean(text, names)
        ),
        "write `UTC`, an offset such as `+02:00`, or a name such as `Europe/Zurich`",
    );
    None
}

/// The minutes of `+02:00`.
fn offset(text: &str) -> Option<i16> {
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let number = |part: &str, below: i16| {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| part.parse::<i16>().ok()).flatten()?;
        (number < below).then_some(number)
    };
    let minutes = number(hours, 24)? * 60 + number(minutes, 60)?;
    Some(if text.starts_with('-') {
        -minutes
    } else {
        minutes
    })
}
