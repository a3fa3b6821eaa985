//! What stands between a projection and its store, and closes when the process dies.

use std::future::pending;

use tokio::sync::watch;

/// Lets calls and answers pass until the crash; then nothing passes any more. A clone is the same
/// gate.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    crashed: watch::Sender<bool>,
}

impl Gate {
    pub(super) fn open() -> Self {
        Self {
            crashed: watch::Sender::new(false),
        }
    }

    pub(super) fn has_crashed(&self) -> bool {
        *self.crashed.borrow()
    }

    /// Returns at once before the crash, and never after it.
    pub(super) async fn pass(&self) {
        if self.has_crashed() {
            pending().await
        }
    }

    /// Makes the call, and gives its answer unless the crash comes before or meanwhile: what was
    /// under way at the crash took effect or did not, and nobody is told.
    pub(super) async fn through<T>(&self, call: impl Future<Output = T>) -> T {
        self.pass().await;
        let answer = call.await;
        self.pass().await;
        answer
    }

    /// The crash.
    pub(super) fn close(&self) {
        self.crashed.send_replace(true);
    }

    /// The crash, in a call that is not answered any more.
    pub(super) async fn crash<T>(&self) -> T {
        self.close();
        pending().await
    }

    /// Ends with the crash.
    pub(super) fn crashed(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let (sender, mut receiver) = (self.crashed.clone(), self.crashed.subscribe());
        async move {
            // The sender lives as long as this future: the channel cannot close.
            let _crashed = receiver.wait_for(|crashed| *crashed).await;
            drop(sender);
        }
    }
}
