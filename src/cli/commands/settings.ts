import {
  type Condition,
  conditionTypes,
  Repository,
  Session,
  type SettingName,
  type SettingOrigin,
  Settings,
} from "../../api/v1alpha1/index.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError, misuse } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { textTable } from "../output/table.ts";

/** The settings of an object, and where each comes from. */
interface Shown {
  kind: string;
  settings: Partial<Record<SettingName, unknown>>;
  origins: readonly SettingOrigin[];
  /** Says which values were limited, and why. */
  bounded: string | undefined;
}

export const settings = defineCommand({
  name: "settings",
  summary: "show the settings of a Session or Repository, and where each comes from",
  details:
    "For a Session: the settings that it got when it was created, and its own cost limit as it is now. For a Repository: the settings that a new session of the default class would get.",
  parameters: ["SESSION|REPOSITORY"],
  flags: {
    session: { about: "show the Session, if a Repository has the same name" },
    repository: { about: "show the Repository, if a Session has the same name" },
  },
  formats: ["json", "yaml"],
  examples: ["settings demo/fix-checkout", "settings checkout -n demo --repository -o json"],
  async run(invocation) {
    const { kind, settings: values, origins, bounded } = await found(invocation);
    const rows = (Object.keys(Settings.shape) as SettingName[]).map((name) => ({
      name,
      value: values[name] ?? "",
      origin: origins.find((one) => one.name === name)?.origin ?? "built in",
    }));
    const shown = textTable(
      ["SETTING", "VALUE", "FROM"],
      rows.map(({ name, value, origin }) => [name, shownValue(value), origin]),
    );
    const json = { kind, name: keyText(nameArgument(kind, invocation)), settings: rows, ...(bounded && { bounded }) };
    return { text: bounded ? `${shown}\n\n${conditionTypes.settingsBounded}: ${bounded}` : shown, json };
  },
});

async function found(invocation: Invocation<{ session: { about: string }; repository: { about: string } }>) {
  const { flags, cluster } = invocation;
  if (flags.session && flags.repository) throw misuse("use either --session or --repository, not both", settings.name);
  const id = nameArgument("Session or Repository", invocation);
  const { client } = cluster();
  const [session, repository] = await Promise.all([
    flags.repository ? undefined : client.find<Session>(Session, id),
    flags.session ? undefined : client.find<Repository>(Repository, id),
  ]);
  if (session && repository) {
    throw misuse(
      `there is both a Session and a Repository ${keyText(id)}\nAdd --session or --repository`,
      settings.name,
    );
  }
  if (session) return ofSession(session);
  if (repository) return ofRepository(repository);
  throw new CliError(`there is no Session and no Repository ${keyText(id)}`);
}

function ofSession({ spec, status }: Session): Shown {
  if (!status?.settings) throw new CliError("the controller has not given this Session its settings yet");
  const { settings: copied, settingOrigins = [] } = status;
  const { maxSessionCostUsd } = spec.settings ?? {};
  const of = { kind: Session.kind, bounded: boundedOf(status) };
  if (maxSessionCostUsd === undefined) return { ...of, settings: copied, origins: settingOrigins };
  const name = "maxSessionCostUsd";
  const origins = [{ name, origin: "Session" }, ...settingOrigins];
  return { ...of, settings: { ...copied, maxSessionCostUsd }, origins };
}

function ofRepository({ status }: Repository): Shown {
  if (!status?.settings) throw new CliError("the controller has not looked at this Repository yet");
  const { settings, settingOrigins: origins = [] } = status;
  return { kind: Repository.kind, settings, origins, bounded: boundedOf(status) };
}

function boundedOf({ conditions }: { conditions?: readonly Condition[] | undefined }): string | undefined {
  return conditions?.find(({ type }) => type === conditionTypes.settingsBounded)?.message;
}

function shownValue(value: unknown): string {
  return value === "" || (Array.isArray(value) && value.length === 0) ? "none" : String(value);
}
