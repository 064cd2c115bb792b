import { nameOf } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { onProject } from "../methods.ts";
import { Resources } from "../resources.ts";

interface Tile {
  readonly xPos?: number;
  readonly yPos?: number;
  readonly width?: number;
  readonly height?: number;
  readonly widget?: Readonly<Record<string, unknown>>;
}

export interface Dashboard {
  readonly name?: string;
  readonly displayName?: string;
  readonly etag?: string;
  readonly mosaicLayout?: { readonly columns?: number; readonly tiles?: readonly Tile[] };
}

/** Creates the collection of Cloud Monitoring's dashboards. Assigns a name to a dashboard without one. */
export function openDashboards(cloud: Cloud): Resources<Dashboard> {
  let last = 0;
  let version = 0;
  const nextVersion = (dashboard: Dashboard): Dashboard => {
    requireValid(dashboard);
    return { ...(omitDefaults(dashboard) as Dashboard), etag: String(++version) };
  };
  return new Resources<Dashboard>({
    methods: "monitoring.projects.dashboards",
    permissions: "monitoring.dashboards",
    on: onProject(cloud),
    items: "dashboards",
    newName: (call) => (call.body as Dashboard).name ?? `${nameOf(call)}/dashboards/${assignedId(++last)}`,
    missing: (name) => new Refusal("NOT_FOUND", `Could not find dashboard "${name}".`),
    exists: (name) => new Refusal("ALREADY_EXISTS", `Dashboard "${name}" already exists.`),
    make: ({ body }, name) => {
      if ((body as Dashboard).etag !== undefined)
        throw invalid("Field dashboard.etag had an invalid value: must not be set.");
      return nextVersion({ ...(body as Dashboard), name });
    },
    // By its description, the method "Replaces an existing custom dashboard with a new definition."
    change: ({ name, etag }, change) => {
      const replacement = change as Dashboard;
      if (replacement.etag !== undefined && replacement.etag !== etag)
        throw new Refusal("ABORTED", "The dashboard was changed since it was read.");
      return nextVersion({ ...replacement, ...(name !== undefined && { name }) });
    },
  });
}

function assignedId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** The maximum number of widgets in a custom dashboard (40 until May 2025). */
const mostWidgets = 100;

/** Refuses what the schema's field descriptions do not allow. */
function requireValid({ displayName, ...dashboard }: Dashboard): void {
  if (!displayName) throw invalid("Field dashboard.displayName had an invalid value: must not be empty.");
  const layouts = ["gridLayout", "mosaicLayout", "rowLayout", "columnLayout"].filter((name) => name in dashboard);
  if (layouts.length !== 1) throw invalid("Field dashboard.layout had an invalid value: exactly one must be set.");
  const { columns = 0, tiles = [] } = dashboard.mosaicLayout ?? { columns: 1 };
  if (columns < 1 || columns > 48)
    throw invalid("Field dashboard.mosaicLayout.columns had an invalid value: must be between 1 and 48.");
  if (tiles.length > mostWidgets)
    throw invalid(`Field dashboard.mosaicLayout.tiles had an invalid value: at most ${mostWidgets} widgets.`);
  const blocks = new Set<string>();
  for (const [at, tile] of tiles.entries()) requireTile(tile, columns, `dashboard.mosaicLayout.tiles[${at}]`, blocks);
}

/** Refuses an invalid tile. Adds its grid blocks to `blocks`, the blocks of earlier tiles. */
function requireTile(tile: Tile, columns: number, field: string, blocks: Set<string>): void {
  const { xPos = 0, yPos = 0, width = 0, height = 0, widget = {} } = tile;
  if (xPos < 0 || yPos < 0 || width < 1 || height < 1 || xPos + width > columns)
    throw invalid(`Field ${field} had an invalid value: must be contained in the grid.`);
  for (let x = xPos; x < xPos + width; x++)
    for (let y = yPos; y < yPos + height; y++) {
      if (blocks.has(`${x} ${y}`)) throw invalid(`Field ${field} had an invalid value: tiles must not overlap.`);
      blocks.add(`${x} ${y}`);
    }
  const contents = Object.keys(widget).filter((name) => name !== "title" && name !== "id");
  if (contents.length !== 1) throw invalid(`Field ${field}.widget had an invalid value: must have one content.`);
  const { xyChart } = widget as { readonly xyChart?: { readonly dataSets?: readonly DataSet[] } };
  if (xyChart === undefined) return;
  const queries = (xyChart.dataSets ?? []).map(({ timeSeriesQuery = {} }) =>
    Object.keys(timeSeriesQuery).filter((name) => name !== "unitOverride" && name !== "outputFullDuration"),
  );
  if (queries.length === 0 || queries.some((kinds) => kinds.length !== 1))
    throw invalid(`Field ${field}.widget.xyChart.dataSets had an invalid value: each must have one query.`);
}

interface DataSet {
  readonly timeSeriesQuery?: object;
}

/** Omits members that are false, zero or an empty string, as responses do. */
function omitDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== 0 && member !== "" && member !== false);
  return Object.fromEntries(entries.map(([name, member]) => [name, omitDefaults(member)]));
}
