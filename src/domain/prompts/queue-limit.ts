/** Unfinished prompts a session may have: processed, admitted or waiting for admission. */
export const longestQueue = 50;

/** What the sender of one more is told. */
export const queueFullMessage = `A session may have at most ${longestQueue} unfinished prompts`;
