import { describeMachine, loadNow } from "../machine.ts";
import { measureIntake } from "./intake.ts";
import { measureMemory } from "./memory.ts";
import { parseOptions } from "./options.ts";
import { measureRest } from "./rest.ts";

// npm run bench:connector -- [--output json] [--conversations N] [--follow-ups N] [--seconds N]
const { conversations, followUps, seconds, json } = parseOptions(process.argv.slice(2));
const perSecond = 50;
const restHours = 1;

const machine = await describeMachine();
const before = loadNow();
const memory = await measureMemory(conversations, followUps);
const rest = await measureRest(conversations, followUps, restHours);
const intake = await measureIntake(perSecond, seconds);
const command = `npm run bench:connector -- --output json --conversations ${conversations} --follow-ups ${followUps} --seconds ${seconds}`;
const load = { before, after: loadNow() };
const document = {
  time: new Date().toISOString(),
  command,
  machine,
  load,
  conversations,
  followUps,
  memory,
  rest,
  perSecond,
  intake,
};
process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
