import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { SharedBudget } from "../metrics/shared-budgets.ts";
import { ApiError } from "./errors.ts";
import { FairShares } from "../../lib/fair-shares.ts";

/**
 * Places of one replica, by what they are for, and what gives a refused one a place. Uploads are held in memory; a list may have
 * thousands of objects; a stream lasts until its client ends it, for half an hour at most.
 */
export const sharedPlaces = {
  eventStreams: { places: 256, what: "streams of events", remedy: "end some" },
  imageUploads: { places: 8, what: "uploads of images", remedy: "try again" },
  mediaUploads: { places: 4, what: "uploads of files of agents", remedy: "try again" },
  mediaDownloads: { places: 32, what: "downloads of files of agents", remedy: "try again" },
  lists: { places: 8, what: "long lists", remedy: "try again" },
} as const satisfies Partial<Record<SharedBudget, { places: number; what: string; remedy: string }>>;

interface PlacesDeps {
  metrics: Pick<GatewayMetrics, "overShare">;
  /** Makes the error for a namespace without a place; by default an ApiError `Busy`. */
  failure?: (message: string) => Error;
}

/** Places of this replica for one kind of work: a namespace may have as many as are free, so alone half. */
export class SharedPlaces {
  readonly #budget: keyof typeof sharedPlaces;
  readonly #shares: FairShares;
  readonly #failure: (message: string) => Error;

  constructor(
    budget: keyof typeof sharedPlaces,
    { metrics, failure = (message) => new ApiError("Busy", message) }: PlacesDeps,
  ) {
    this.#budget = budget;
    this.#failure = failure;
    const refused = (): void => metrics.overShare.inc({ budget });
    this.#shares = new FairShares({ places: sharedPlaces[budget].places, refused });
  }

  /** Does the work in a place; an empty namespace stands for requests for all. @throws what `failure` makes while the namespace has its share */
  run<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    return this.#shares.run(namespace, work, () => this.#failure(this.#shareTaken(namespace)));
  }

  #shareTaken(namespace: string): string {
    const { places, what, remedy } = sharedPlaces[this.#budget];
    const who =
      namespace === "" ? "requests for all namespaces have their share" : `namespace ${namespace} has its share`;
    return `${who} of the gateway's ${places} places for ${what}: ${remedy}, or ask the platform team for more (gateway.replicas)`;
  }
}
