import type { ScriptedModel } from "./scripted-model.ts";
import type { SampleAgent } from "./tenant-objects.ts";

const model = "scripted/script";

/** OpenCode with the scripted model behind it; it asks before it edits, and may run commands without asking. */
export function openCodeAgent({ baseUrl, addresses }: ScriptedModel, image?: string): SampleAgent {
  const configuration = {
    model,
    enabled_providers: ["scripted"],
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: baseUrl, apiKey: "none" },
        models: { script: { name: "A script", cost: { input: 1, output: 2 } } },
      },
    },
    permission: { edit: "ask", bash: "allow" },
    autoupdate: false,
    share: "disabled",
  };
  // Without the second one it asks the internet for a list of models.
  const environment = [`OPENCODE_CONFIG_CONTENT=${JSON.stringify(configuration)}`, "OPENCODE_DISABLE_MODELS_FETCH=1"];
  return {
    command: ["env", ...environment, "opencode", "acp"],
    protocol: "acp",
    ...(image === undefined ? {} : { image }),
    addresses,
    // It takes 600 to 800 MiB for itself.
    limits: { cpu: "2", memory: "2Gi" },
  };
}
