import { z } from "zod";

import { keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { readSecret } from "../arguments/read-input.ts";
import { CliError, misuse } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { gatewayRefusal, openGatewayApi } from "../gateway/gateway-api.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";

const Address = z.object({ webhookUrl: z.url() });

export const keySet = defineCommand({
  name: "key set",
  summary: "set the secret with which a sender signs its deliveries",
  details:
    "For senders that make the secret themselves: trackers (Sentry: the client secret of an internal integration), and webhooks of authentication type HMAC, for which key create makes one otherwise. It is read from a file or from standard input, so that neither the shell's history nor the list of processes has it; a line break at its end is left out. Needs permission to create automations/key, which the role edit has.",
  parameters: ["AUTOMATION"],
  flags: {
    filename: { short: "f", value: "FILE", about: "file with the secret; - reads standard input" },
    "keep-previous": {
      about:
        "the secret that was valid until now stays valid until the next one is set, for a change without lost events",
    },
  },
  formats: ["json", "yaml"],
  examples: ["key set demo/fix-errors -f -", "key set demo/fix-errors -f new-secret --keep-previous"],
  async run(invocation) {
    const { filename, "keep-previous": keepPrevious } = invocation.flags;
    if (filename === undefined) {
      throw misuse("key set needs the secret: -f FILE, or -f - for standard input", keySet.name);
    }
    const automation = nameArgument("Automation", invocation);
    const target = gatewayTarget(invocation, automation.namespace);
    const secret = await readSecret(filename);
    const api = await openGatewayApi(invocation, target);
    const path = `/automations/${automation.namespace}.${automation.name}/signing-secret`;
    const answer = await api.post(path, { secret, keepPrevious });
    const what = `key set ${keyText(automation)}`;
    if (answer.status !== 200) throw gatewayRefusal(answer, what);
    const { data } = Address.safeParse(answer.body);
    if (!data)
      throw new CliError(`${what}: the gateway's answer cannot be read\nUse the plugin of the gateway's version`);
    const text = `Deliveries signed with the secret are taken. Have the sender post to\n  ${data.webhookUrl}`;
    return { text, json: { automation: keyText(automation), ...data } };
  },
});
