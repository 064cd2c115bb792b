/** A record of a zone: `{ type: "CNAME", data: "ghs.googlehosted.com" }`. */
export interface ZoneRecord {
  readonly type: "A" | "AAAA" | "CNAME";
  readonly data: string;
}

/** DNS records that tests have set, plus Google's own. */
export class Zone {
  readonly #records = new Map<string, readonly ZoneRecord[]>([
    ["ghs.googlehosted.com", [{ type: "A", data: "142.250.0.121" }]],
  ]);
  readonly #changed: (() => void)[] = [];

  /** Sets all records of a name; with none, the name does not exist. */
  set(name: string, ...records: readonly ZoneRecord[]): void {
    if (records.length === 0) this.#records.delete(name);
    else this.#records.set(name, records);
    for (const changed of this.#changed) changed();
  }

  /** Calls a function on every change of a record. */
  onChange(changed: () => void): void {
    this.#changed.push(changed);
  }

  /** Returns the records of the type with the CNAME that leads to them; undefined for an unknown name. */
  answer(name: string, type: ZoneRecord["type"]): readonly (ZoneRecord & { readonly name: string })[] | undefined {
    const own = this.#records.get(name);
    if (!own) return undefined;
    const alias = own.find((record) => record.type === "CNAME");
    if (!alias || type === "CNAME")
      return own.filter((record) => record.type === type).map((record) => ({ name, ...record }));
    const further = this.#records.get(alias.data) ?? [];
    return [
      { name, ...alias },
      ...further.filter((record) => record.type === type).map((record) => ({ name: alias.data, ...record })),
    ];
  }
}
