//! Keyed concurrency: in order for each key, out of order across keys, and nothing lost.

mod book;
mod bounds;
mod crash;
mod ending;
mod in_order_later;
mod management;

mod order;
mod projection;
mod recovery;
