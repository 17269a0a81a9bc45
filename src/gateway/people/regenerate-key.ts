import express, { type Router } from "express";
import { z } from "zod";
import { group } from "../../api/v1alpha1/kind.ts";
import { dnsLabel } from "../../api/v1alpha1/schema.ts";
import type { Callers } from "./callers.ts";
import { ApiError } from "./errors.ts";
import type { Keys } from "./keys.ts";

interface Deps {
  callers: Pick<Callers, "identify" | "authorize">;
  keys: Pick<Keys, "issue">;
  /** What senders put before webhook paths. */
  deliveryBaseUrl: string;
}

const Body = z.strictObject({ create: z.boolean().default(false) });

/**
 * `POST /automations/<namespace>.<name>/regenerate-key`: answers the new key, which is shown here and nowhere else. The
 * caller needs `create` on `automations/key`. The body may say `{"create": true}`: only if there is no key yet.
 */
export function regenerateKey(deps: Deps): Router {
  const router = express.Router();
  router.post(
    "/automations/:id/regenerate-key",
    express.json({ type: () => true, limit: 16_384, inflate: false }),
    async (request, response) => {
      const caller = await deps.callers.identify(request.headers.authorization);
      const automation = parseId(request.params.id);
      await deps.callers.authorize(caller, {
        verb: "create",
        group,
        resource: "automations",
        subresource: "key",
        ...automation,
      });
      const key = await deps.keys.issue(automation, parseBody(request.body));
      response.setHeader("cache-control", "no-store");
      response.json({
        webhookApiKey: key,
        webhookUrl: `${deps.deliveryBaseUrl}/webhooks/automation/${request.params.id}`,
      });
    },
  );
  return router;
}

/** A namespace has no dot, so the first one ends it. */
function parseId(id: string): { namespace: string; name: string } {
  const dot = id.indexOf(".");
  const [namespace, name] = [id.slice(0, Math.max(dot, 0)), id.slice(dot + 1)];
  const isId = [namespace, name].every((part) => part.length <= 63 && dnsLabel.test(part));
  if (!isId) throw new ApiError("NotFound", "an automation's id is <namespace>.<name>");
  return { namespace, name };
}

function parseBody(body: unknown): { create: boolean } {
  const parsed = Body.safeParse(body ?? {});
  if (!parsed.success) throw new ApiError("InvalidRequest", 'the body may only be empty or {"create": true or false}');
  return parsed.data;
}
