import { z } from "zod";

/** What bounds the events of sessions. A closed set, since each is a label. */
export const eventBounds = ["session", "namespace", "total"] as const;
export type EventBound = (typeof eventBounds)[number];

/** Why events of an attempt were left out, as the gateway writes it on the Lease. */
export const EventsLeftOut = z.object({ bound: z.enum(eventBounds), message: z.string().max(1024) });
export type EventsLeftOut = z.infer<typeof EventsLeftOut>;
