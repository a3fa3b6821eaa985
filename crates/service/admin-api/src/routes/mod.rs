//! The table of addresses, each with what the OpenAPI document says of it.

mod dead_letters;
mod extract;
mod health;
mod lanes;
mod pages;
mod projections;
mod rebuilds;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use projectionist_telemetry::Exporter;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::guard::{Guard, guard};
use crate::watch::Watch;
use crate::{AdminConfig, AdminDesk, AdminError, ErrorCode, Pages};

/// Where the OpenAPI document is.
pub(crate) const DOCUMENT: &str = "/api/openapi.json";

/// What every answer is made from.
pub(crate) struct Shared {
    desk: Arc<dyn AdminDesk>,
    watch: Arc<Watch>,
    metrics: Option<Exporter>,
    pages: Pages,
}

type Desk = axum::extract::State<Arc<Shared>>;

impl Shared {
    pub(crate) fn new(
        desk: Arc<dyn AdminDesk>,
        watch: Arc<Watch>,
        metrics: Option<Exporter>,
        pages: Pages,
    ) -> Arc<Self> {
        Arc::new(Self {
            desk,
            watch,
            metrics,
            pages,
        })
    }
}

#[derive(utoipa::OpenApi)]
#[openapi(info(
    title = "projectionist admin endpoint",
    description = "What running projections do, and commands to them. Every POST needs `Content-Type: application/json` and the header `X-Projectionist: 1`."
))]
struct Document;

fn table() -> OpenApiRouter<Arc<Shared>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
        .routes(routes!(projections::list))
        .routes(routes!(projections::one))
        .routes(routes!(projections::history))
        .routes(routes!(projections::lane_history))
        .routes(routes!(lanes::pause))
        .routes(routes!(lanes::resume))
        .routes(routes!(lanes::skip))
        .routes(routes!(lanes::set_offset))
        .routes(routes!(lanes::clear_offset))
        .routes(routes!(dead_letters::list))
        .routes(routes!(dead_letters::show))
        .routes(routes!(dead_letters::replay))
        .routes(routes!(dead_letters::discard))
        .routes(routes!(rebuilds::progress))
        .routes(routes!(rebuilds::start))
        .routes(routes!(rebuilds::abort))
        .routes(routes!(rebuilds::revert))
        .routes(routes!(openapi))
}

/// Says what this endpoint answers.
#[utoipa::path(get, path = "/api/openapi.json", tag = "endpoint", operation_id = "openapi",
    responses((status = 200, description = "This document", body = serde_json::Value)))]
async fn openapi() -> axum::Json<OpenApi> {
    axum::Json(document())
}

/// The OpenAPI document.
pub(crate) fn document() -> OpenApi {
    let (_, mut document) = table().split_for_parts();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    if let Some(components) = document.components.as_mut() {
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
    }
    document.security = Some(vec![SecurityRequirement::new(
        "token",
        Vec::<String>::new(),
    )]);
    document
}

/// Everything that the endpoint answers, behind its guard.
pub(crate) fn router(shared: Arc<Shared>, config: AdminConfig) -> Router {
    let (router, _) = table().split_for_parts();
    let body = DefaultBodyLimit::max(config.limits.body_bytes);
    router
        .fallback(pages::page)
        .method_not_allowed_fallback(wrong_method)
        .with_state(shared)
        .layer(body)
        .layer(from_fn_with_state(Arc::new(Guard::new(config)), guard))
}

async fn wrong_method() -> AdminError {
    AdminError::new(
        ErrorCode::MethodNotAllowed,
        "this address does not take that method",
        format!("look it up in {DOCUMENT}"),
    )
}
