/** Frames that wait for a peer to read: more than honest ones ask for in one packet. */
export const mostUnread = 1_024;

/**
 * Counts the frames that the gateway sends because a peer asked, such as answers to pings, until the peer has read them. Without a limit, a
 * peer that asks and never reads would fill the gateway's memory: each frame takes some hundred bytes, whatever its length.
 */
export class UnreadFrames {
  readonly #tooMany: () => void;
  #waiting = 0;

  /** `tooMany` is called with the first frame beyond {@link mostUnread}, and each later one. */
  constructor(tooMany: () => void) {
    this.#tooMany = tooMany;
  }

  /** Counts a frame; the returned function is called when it was sent, or cannot be. */
  begin(): () => void {
    this.#waiting += 1;
    if (this.#waiting > mostUnread) this.#tooMany();
    return () => {
      this.#waiting -= 1;
    };
  }
}
