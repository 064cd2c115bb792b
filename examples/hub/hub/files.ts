import { API, blob, type Blob, Bucket, Errorf, type Form, type Path } from "fw";
import { deliveries } from "./deliveries.ts";

/** Uploaded files, keyed by owner. */
export const files = Bucket("files");

export interface Upload {
  file: Form<Blob>;
}
export interface Kept {
  name: string;
  size: number;
}
export const upload = API(
  "POST /files",
  async (ctx, { file }: Upload): Promise<Kept> => {
    const name = file.name ?? "";
    if (name === "") throw Errorf(400, "the file has no name");
    await files.put(ctx, `${ctx.user().id}/${name}`, file);
    return { name, size: file.size ?? 0 };
  },
  { signIn: true, status: 201, maxBody: "20MB" },
);

export interface FileRef {
  name: Path;
}
export const download = API(
  "GET /files/{name}",
  async (ctx, { name }: FileRef): Promise<Blob> => {
    const file = await files.get(ctx, `${ctx.user().id}/${name}`);
    return { ...file, stream: () => file.stream(), name, download: true };
  },
  { signIn: true },
);

/** Exports all deliveries as a CSV file for spreadsheets. */
export const table = API(
  "GET /deliveries.csv",
  async (ctx) => {
    const rows = await deliveries.query().orderBy("at").all(ctx);
    const lines = rows.map(({ id, at, kind, text }) => [id, at.toISOString(), kind, text].map(cell).join(","));
    return blob(["id,at,kind,text", ...lines, ""].join("\r\n"), {
      type: "text/csv",
      name: "deliveries.csv",
      download: true,
    });
  },
  { signIn: true },
);

/** Escapes cells that start like a formula, so that spreadsheets treat them as text. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}
