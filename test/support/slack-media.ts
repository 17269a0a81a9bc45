/** A message with files that the bot has shared. */
export interface SharedFiles {
  channel: string;
  thread_ts: string;
  comment: string;
  files: { id: string; title: string; name: string; content: Buffer }[];
}

interface Upload {
  name: string;
  length: number;
  content?: Buffer;
  isShared?: boolean;
}

/** Uploads of files as Slack takes them: an address, the bytes, and then the message; lengths are held to. */
export interface SlackMedia {
  readonly shared: SharedFiles[];
  /** Where the next uploads are sent in place of our own host. */
  uploadHost: string | undefined;
  /** `files.getUploadURLExternal`; gives the code of a refusal. */
  open(form: URLSearchParams, url: string): { upload_url: string; file_id: string } | string;
  /** The bytes of an upload; false where they are refused. */
  take(path: string, content: Buffer): boolean;
  /** `files.completeUploadExternal`; gives the code of a refusal. */
  complete(form: URLSearchParams): SharedFiles | string;
}

export function slackMedia(): SlackMedia {
  const uploads = new Map<string, Upload>();
  const media: SlackMedia = {
    shared: [],
    uploadHost: undefined,
    open(form, url) {
      const [name, length] = [form.get("filename") ?? "", Number(form.get("length") ?? "0")];
      if (name === "" || !Number.isInteger(length) || length <= 0) return "invalid_arguments";
      const id = `F0OUT${uploads.size + 1}`;
      uploads.set(id, { name, length });
      return { upload_url: `${media.uploadHost ?? url}/upload/v1/${id}`, file_id: id };
    },
    take(path, content) {
      const upload = uploads.get(path.split("/").at(-1) ?? "");
      if (!upload || upload.content || content.length !== upload.length) return false;
      upload.content = content;
      return true;
    },
    complete(form) {
      const given = JSON.parse(form.get("files") ?? "[]") as { id: string; title?: string }[];
      if (given.length === 0) return "invalid_arguments";
      const files: SharedFiles["files"] = [];
      for (const { id, title = "" } of given) {
        const upload = uploads.get(id);
        if (!upload?.content || upload.isShared) return "file_not_found";
        upload.isShared = true;
        files.push({ id, title, name: upload.name, content: upload.content });
      }
      const [channel = "", thread_ts = "", comment = ""] = ["channel_id", "thread_ts", "initial_comment"].map(
        (field) => form.get(field) ?? "",
      );
      const shared = { channel, thread_ts, comment, files };
      media.shared.push(shared);
      return shared;
    },
  };
  return media;
}
