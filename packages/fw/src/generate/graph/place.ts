import { layoutLibrary } from "../../lib/own-modules.ts";
import type { Diagram, DiagramNode } from "./diagram.ts";

/** A diagram with positions for boxes and arrows, in pixels. */
export interface PlacedDiagram extends Size {
  readonly boxes: readonly (Size & Point & { readonly id: string })[];
  readonly arrows: readonly { readonly from: string; readonly to: string; readonly points: readonly Point[] }[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface LayoutLibrary {
  readonly place: (diagram: {
    readonly nodes: readonly DiagramNode[];
    readonly edges: Diagram["edges"];
  }) => PlacedDiagram;
}

/** Lays out a diagram with the console's layout library, which is loaded only for a picture. */
export async function placeDiagram({ nodes, edges }: Diagram): Promise<PlacedDiagram> {
  const { place } = (await import(layoutLibrary)) as LayoutLibrary;
  return place({ nodes, edges });
}
