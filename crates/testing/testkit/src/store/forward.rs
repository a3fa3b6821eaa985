//! What a store before a store hands on as it is.

/// Hands the contracts that only read, or that have nothing to do with progress, on to
/// `self.inner`, through `self.gate`.
macro_rules! forward_to_inner {
    ($store:ident) => {
        impl<S: ManagementStore> ManagementStore for $store<S> {
            async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
                self.gate.through(self.inner.pause_flag(name, key)).await
            }

            async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
                let call = self.inner.set_paused(name, key, paused);
                self.gate.through(call).await
            }

            async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
                self.gate.through(self.inner.management(lane)).await
            }

            async fn request(
                &self,
                lane: &ProjectionId,
                command: &ManagementCommand,
            ) -> Result<RequestId> {
                self.gate.through(self.inner.request(lane, command)).await
            }

            async fn answer(&self, request: RequestId) -> Result<Option<RequestAnswer>> {
                self.gate.through(self.inner.answer(request)).await
            }

            async fn withdraw(&self, request: RequestId) -> Result<bool> {
                self.gate.through(self.inner.withdraw(request)).await
            }
        }

        impl<S: OwnerReportStore> OwnerReportStore for $store<S> {
            async fn keep_report(&self, claim: &Claim, report: &OwnerReport) -> Result<()> {
                self.gate
                    .through(self.inner.keep_report(claim, report))
                    .await
            }

            async fn survey(&self) -> Result<Survey> {
                self.gate.through(self.inner.survey()).await
            }
        }

        impl<S: ParkedStore> ParkedStore for $store<S> {
            async fn parked_keys(
                &self,
                lane: &ProjectionId,
                limit: usize,
            ) -> Result<Vec<ParkedKey>> {
                self.gate.through(self.inner.parked_keys(lane, limit)).await
            }

            async fn parked(
                &self,
                lane: &ProjectionId,
                key: &str,
                limit: usize,
            ) -> Result<Vec<ParkedEnvelope>> {
                self.gate.through(self.inner.parked(lane, key, limit)).await
            }
        }

        impl<S: DeadLetterStore> DeadLetterStore for $store<S> {
            async fn dead_letters(
                &self,
                filter: &DeadLetterFilter,
            ) -> Result<Vec<StoredDeadLetter>> {
                self.gate.through(self.inner.dead_letters(filter)).await
            }
        }
    };
}

pub(super) use forward_to_inner;
