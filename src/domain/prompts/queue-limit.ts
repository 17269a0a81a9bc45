/** Maximum of unfinished prompts of a session: processing, admitted or waiting for admission. */
export const longestQueue = 50;

/** Error message for one more. */
export const queueFullMessage = `A session may have at most ${longestQueue} unfinished prompts`;
