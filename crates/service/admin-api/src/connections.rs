//! Accepts connections, so many at once, and answers on each within the limits.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use crate::AdminLimits;

/// Answers connections until `stop` is ready, then lets those that are open end their answer.
pub(crate) async fn answer(
    listener: TcpListener,
    routes: Router,
    limits: AdminLimits,
    stop: impl Future<Output = ()>,
) {
    let free = Arc::new(Semaphore::new(limits.connections));
    let (stopping, stopped) = tokio::sync::watch::channel(false);
    let mut open = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let next = next(&listener, &free);
        tokio::select! {
            () = &mut stop => break,
            (stream, permit) = next => {
                let mut stopped = stopped.clone();
                let routes = routes.clone();
                open.spawn(async move {
                    let until = async { let _ = stopped.wait_for(|stop| *stop).await; };
                    one(stream, routes, limits, until).await;
                    drop(permit);
                });
            }
            Some(_) = open.join_next(), if !open.is_empty() => {}
        }
    }
    drop(listener);
    let _ = stopping.send(true);
    while open.join_next().await.is_some() {}
}

/// The next connection, once there is room for one more.
async fn next(
    listener: &TcpListener,
    free: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed, so there is always a permit some time.
    let permit = Arc::clone(free).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(error) => {
                tracing::debug!(%error, "the admin endpoint cannot accept a connection");
                // Mostly too many open files: trying again at once would only burn the processor.
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

async fn one(
    stream: TcpStream,
    routes: Router,
    limits: AdminLimits,
    stop: impl Future<Output = ()>,
) {
    // Answers are small: waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(64 << 10);
    let service = TowerToHyperService::new(routes);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the admin endpoint broke off");
    }
}
