import type { z } from "zod";

import { CliError } from "../cli-error.ts";
import { gatewayRefusal, type GatewayApi } from "./gateway-api.ts";

/** What the gateway has at a path. @throws CliError when it refuses, or when its answer is of another shape */
export async function readGateway<S extends z.ZodType>(
  api: Pick<GatewayApi, "get">,
  path: string,
  { shape, what }: { shape: S; what: string },
): Promise<z.output<S>> {
  const answer = await api.get(path);
  if (answer.status !== 200) throw gatewayRefusal(answer, what);
  const { success, data } = shape.safeParse(answer.body);
  if (success) return data;
  throw new CliError(`${what}: the gateway's answer cannot be read\nUse the plugin of the gateway's version`);
}
