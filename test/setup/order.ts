import { join, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Begins with the files that start processes: they take longest, and a long file at the end leaves all workers but one idle. */
export class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's, not an array's
    const sorted = await super.sort(files);
    const directory = join(this.ctx.config.root, "test", sep);
    const starts = ({ moduleId }: TestSpecification): boolean => moduleId.startsWith(directory);
    return [...sorted.filter(starts), ...sorted.filter((file) => !starts(file))];
  }
}
