//! The files of the dashboard, by path.

/// A file of the dashboard.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its path on the endpoint, which begins with `/`.
    pub path: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    /// Its content.
    pub body: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($kind:ident $path:literal),+ $(,)?) => {
        &[$(Asset {
            path: concat!("/", $path),
            content_type: $kind,
            body: include_bytes!(concat!("../pages/", $path)),
        }),+]
    };
}

const ASSETS: &[Asset] = files![
    CSS "css/base.css",
    CSS "css/chart.css",
    CSS "css/controls.css",
    CSS "css/frame.css",
    CSS "css/lane.css",
    CSS "css/letters.css",
    CSS "css/list.css",
    CSS "css/tokens.css",
    SVG "favicon.svg",
    HTML "index.html",
    JS "js/api.js",
    JS "js/dialog.js",
    JS "js/dom.js",
    JS "js/format.js",
    JS "js/history.js",
    JS "js/live.js",
    JS "js/main.js",
    JS "js/plot.js",
    JS "js/series.js",
    JS "js/spark.js",
    JS "js/states.js",
    JS "js/theme-early.js",
    JS "js/theme.js",
    JS "js/toast.js",
    JS "js/token.js",
    JS "js/views/act.js",
    JS "js/views/commands.js",
    JS "js/views/counts.js",
    JS "js/views/lane.js",
    JS "js/views/letter-detail.js",
    JS "js/views/letter-table.js",
    JS "js/views/letters.js",
    JS "js/views/list.js",
    JS "js/views/rebuild.js",
];

/// All files.
#[must_use]
pub fn assets() -> &'static [Asset] {
    ASSETS
}

/// The file at a path; `/` is the page that everything begins with.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    let path = if path == "/" { "/index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}
