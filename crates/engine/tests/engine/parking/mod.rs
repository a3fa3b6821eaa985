//! Parking: what cannot be handled waits with its key, everything else goes on, and nothing is lost
//! or overtaken.

mod bounds;
mod commands;
mod crashes;
mod giving_up;
mod order;
mod random;
mod replay;
mod restarts;
mod world;
