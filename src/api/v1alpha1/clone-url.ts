/** Whether a Repository's URL is for SSH: `ssh://USER@HOST/PATH` or `USER@HOST:PATH`. */
export function isSshUrl(url: string): boolean {
  return !url.startsWith("https://");
}

/** Where a clone URL leads, in the one form in which such places are compared. */
export interface ClonePlace {
  protocol: "https" | "ssh";
  /** In lower case, with the port where it is not the protocol's own. */
  host: string;
  /** In lower case. */
  hostname: string;
  /** Without escapes, without slashes at its ends and without a final `.git`. */
  path: string;
}

/** The place of a Repository's URL in any of its forms. Only one with a protocol has escapes, for git as for us. */
export function clonePlace(url: string): ClonePlace {
  const [, authority, escaped = ""] = /^(?:https|ssh):\/\/([^/]*)(.*)$/.exec(url) ?? [];
  const [, host = "", path = ""] = /^([^:]*):(.*)$/.exec(url) ?? [];
  const protocol = isSshUrl(url) ? "ssh" : "https";
  return {
    protocol,
    ...hostForm(protocol, (authority ?? host).replace(/^[^@]*@/, "")),
    path: pathForm(authority === undefined ? path : withoutEscapes(escaped)).replace(/\.git$/, ""),
  };
}

/** The form of a host, perhaps with a port: in lower case, of letters of ASCII, an address of IPv6 in its short form. */
export function hostForm(protocol: ClonePlace["protocol"], host: string): Pick<ClonePlace, "host" | "hostname"> {
  const [, name = "", port] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  const hostname = nameForm(name);
  const isUsual = port === undefined || port === "" || Number(port) === usualPorts[protocol];
  return { hostname, host: isUsual ? hostname : `${hostname}:${Number(port)}` };
}

/** As resolvers see it, for which a dot at the end changes nothing of a whole name. */
function nameForm(name: string): string {
  const url = `https://${name}`;
  const isName = name !== "" && !/[/?#@\\%]/.test(name) && URL.canParse(url);
  return (isName ? new URL(url).hostname : name.toLowerCase()).replace(/(?<=[^.])\.$/, "");
}

const usualPorts: Readonly<Record<ClonePlace["protocol"], number>> = { https: 443, ssh: 22 };

/** The form of a path whose escapes are gone; slashes count once, and a final `.git` stays. */
export function pathForm(path: string): string {
  return path.replace(/\/+/g, "/").replace(/^\/|\/$/g, "");
}

/** As git reads a URL: what is no escape stays, and so does one of NUL. */
function withoutEscapes(text: string): string {
  return text.replace(/(?:%(?!00)[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = Array.from(escapes.matchAll(/[0-9A-Fa-f]{2}/g), ([byte]) => Number.parseInt(byte, 16));
    return decoder.decode(new Uint8Array(bytes));
  });
}

/** A byte order mark is part of a path. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
