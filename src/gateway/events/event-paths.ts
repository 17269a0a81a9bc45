import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { parsePosition } from "../../api/runtime/event-position.ts";
import { pathParameters } from "../http/inputs.ts";
import { eventLimits } from "./limits.ts";

/** Paths of streams of events, as OpenAPI writes them. */
export const eventPathOf = {
  sessions: "/sessions/{id}/events",
  images: "/prebuilt-images/{id}/events",
} as const;

const position = "[1-9][0-9]{0,6}\\.[1-9][0-9]{0,15}";

/** Which events of a session or image are wanted. */
export const EventsQuery = z.object({
  follow: z
    .enum(["true", "false"], "must be true or false")
    .default("true")
    .transform((text) => text === "true")
    .meta({
      description: "Whether to wait for new events; with false the stream ends after the stored ones.",
      override: { type: "string", enum: ["true", "false"], default: "true" },
    }),
  last: z
    .string()
    .refine(isPartSize, `must be a whole number from 1 to ${eventLimits.partBytes}`)
    .transform(Number)
    .optional()
    .meta({
      description:
        "Begins with the newest stored events: so many bytes of them, in pieces of about 32 KiB and at least one. Where there are older ones, the stream's first event is named older. Without it the stream begins with the first of all; after Last-Event-ID it does nothing.",
      override: { type: "integer", minimum: 1, maximum: eventLimits.partBytes },
    }),
  before: z
    .string()
    .refine((text) => parsePosition(text) !== undefined, "must be that of an event named older")
    .transform(parsePosition)
    .optional()
    .meta({
      description:
        "Only stored events before this one, the before of an event named older; the stream ends after them.",
      override: { type: "string", pattern: `^${position}$` },
    }),
});

function isPartSize(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && Number(text) <= eventLimits.partBytes;
}

/** OpenAPI paths of these streams, with the common error responses. */
export function eventPaths(errors: () => ZodOpenApiResponsesObject): ZodOpenApiPathsObject {
  return {
    [eventPathOf.sessions]: {
      get: {
        operationId: "streamSessionEvents",
        summary: "What happened in a session, and what happens until it is finished",
        description: `${described} an event named end means that the session is finished, or that all was sent that is stored. ${allowed("sessions")}`,
        ...parametersOf(eventPathOf.sessions, errors),
      },
    },
    [eventPathOf.images]: {
      get: {
        operationId: "streamImageEvents",
        summary: "What happened in the latest builds of a prebuilt image, and what happens until no build goes on",
        description: `${described} attempt is the number of the build; events of builds that are no longer among the last ten are deleted. An event named end means that no build goes on, or that all was sent that is stored. ${allowed("prebuiltimages")}`,
        ...parametersOf(eventPathOf.images, errors),
      },
    },
  };
}

const described =
  "Server-Sent Events. The data of each is a SessionEvent, its id goes into Last-Event-ID to continue after it; an event named older, whose data is {before}, means that there are events before those that follow, to be had with before and last;";

function allowed(plural: string): string {
  return `A stream also ends after half an hour, and within a minute once the caller's token or right has ended. The caller must be allowed to get ${plural}/log.`;
}

function parametersOf(
  path: string,
  errors: () => ZodOpenApiResponsesObject,
): Pick<ZodOpenApiOperationObject, "requestParams" | "responses"> {
  return {
    requestParams: {
      ...pathParameters(path),
      query: EventsQuery,
      header: z.object({
        "Last-Event-ID": z
          .string()
          .regex(new RegExp(`^(${position})?$`))
          .optional()
          .meta({ description: "The id of the last event that was read." }),
      }),
    },
    responses: {
      200: {
        description: "The events, oldest first.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      ...errors(),
    },
  };
}
