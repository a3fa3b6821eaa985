//! A flow gives a context back twice.

use projectionist_core::{FlowContext, FlowContexts};

fn cloned(context: FlowContext) -> FlowContexts {
    [context.clone(), context].into_iter().collect()
}

fn moved(context: FlowContext) -> [FlowContexts; 2] {
    [context.into(), context.into()]
}

fn filtered(context: FlowContext) -> FlowContexts {
    context.filtered();
    context.into()
}

fn main() {
    let _ = (cloned, moved, filtered);
}
