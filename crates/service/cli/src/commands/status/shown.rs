//! Numbers and times for people, short enough for a table.

use std::time::Duration;

/// A count: exact while it is short.
pub(super) fn count(count: u64) -> String {
    let short = |unit: f64, letter: char| format!("{:.1}{letter}", count as f64 / unit);
    match count {
        0..100_000 => count.to_string(),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000..1_000_000_000 => short(1e6, 'M'),
        _ => short(1e9, 'G'),
    }
}

/// A stretch of time in its largest whole unit.
pub(super) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 if !time.is_zero() => format!("{}ms", time.as_millis().max(1)),
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Events a second.
pub(super) fn rate(per_second: f64) -> String {
    match per_second {
        slow if slow <= 0.0 => "0/s".to_owned(),
        slow if slow < 10.0 => format!("{slow:.1}/s"),
        fast if fast < 1e5 => format!("{fast:.0}/s"),
        fast if fast < 1e6 => format!("{:.0}k/s", fast / 1e3),
        fast => format!("{:.1}M/s", fast / 1e6),
    }
}

/// A text in lines of at most `width` characters, broken between words where that is possible.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        }
        let mut rest = word;
        if used > 0 {
            push(&mut lines, " ");
            used += 1;
        }
        while let Some((end, _)) = rest.char_indices().nth(width) {
            push(&mut lines, &rest[..end]);
            lines.push(String::new());
            rest = &rest[end..];
        }
        push(&mut lines, rest);
        used += rest.chars().count();
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_short() {
        let counts = [0, 99_999, 123_456, 1_234_567, 9_876_543_210].map(count);
        assert_eq!(counts, ["0", "99999", "123k", "1.2M", "9.9G"]);
        let spans = [0, 7, 119, 120, 7_199, 7_200, 172_800].map(|s| span(Duration::from_secs(s)));
        assert_eq!(spans, ["0s", "7s", "119s", "2m", "119m", "2h", "2d"]);
        assert_eq!(span(Duration::from_micros(300)), "1ms");
        let rates = [0.0, 0.25, 12.4, 250_000.0].map(rate);
        assert_eq!(rates, ["0/s", "0.2/s", "12/s", "250k/s"]);
    }

    #[test]
    fn lines_are_broken_between_words_and_within_long_ones() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("an abcdefghij end", 4),
            ["an", "abcd", "efgh", "ij", "end"]
        );
        assert_eq!(wrapped("", 4), [""]);
    }
}
