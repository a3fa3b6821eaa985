-- Whether the lane had come this far before when a parked envelope was read. Of those that are
-- parked by now that is not known: they count as read for the first time.
ALTER TABLE projectionist_parked ADD COLUMN replay INTEGER NOT NULL DEFAULT 0;
