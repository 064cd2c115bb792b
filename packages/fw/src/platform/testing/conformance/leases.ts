import { expect, test } from "vitest";
import { failure, fixture, item, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

export function leaseTests(open: OpenPlatform): void {
  test("one holder at a time, until it lets go or its time is up", async () => {
    const clock = new ManualClock();
    const { leases } = await fixture(open, clock);
    const acquired = await Promise.all(Array.from({ length: 10 }, () => leases.acquire("relay", 1000)));
    const first = acquired.find((lease) => lease !== undefined);
    expect(acquired.filter((lease) => lease !== undefined)).toHaveLength(1);
    expect(await leases.acquire("other", 1000)).toBeDefined();
    await first?.release();
    const second = await leases.acquire("relay", 1000);
    expect(second).toBeDefined();
    clock.advance(999);
    expect(await leases.acquire("relay", 1000)).toBeUndefined();
    clock.advance(1);
    expect(await leases.acquire("relay", 1000)).toBeDefined();
  });

  test("the token increases with each acquisition, also after a release", async () => {
    const { leases } = await fixture(open, new ManualClock());
    const tokens: number[] = [];
    for (let i = 0; i < 5; i++) {
      const lease = await leases.acquire("relay", 1000);
      tokens.push(lease?.token ?? 0);
      await lease?.release();
    }
    expect(tokens).toEqual([...new Set(tokens)].toSorted((x, y) => x - y));
  });

  test("a renewed lease lives on; an expired one cannot be renewed, and its release frees nobody else's", async () => {
    const clock = new ManualClock();
    const { leases } = await fixture(open, clock);
    const lease = await leases.acquire("relay", 1000);
    clock.advance(900);
    const renewed = await lease?.renew(1000);
    expect(renewed?.token).toBe(lease?.token);
    clock.advance(900);
    expect(await leases.acquire("relay", 1000)).toBeUndefined();
    clock.advance(100);
    expect(await failure(() => renewed?.renew(1000))).toBe("lease");
    const next = await leases.acquire("relay", 1000);
    await lease?.release();
    expect(next).toBeDefined();
    expect(await leases.acquire("relay", 1000)).toBeUndefined();
  });

  test("who has a lease's name and token can renew it and let it go", async () => {
    const clock = new ManualClock();
    const { leases } = await fixture(open, clock);
    const fence = await leases.acquire("relay", 1000);
    if (fence === undefined) throw new Error("the lease was free");
    const { name, token } = fence;
    expect((await leases.renew({ name, token }, 5000)).expires).toEqual(new Date(clock.now() + 5000));
    await leases.release({ name, token: token + 1 });
    expect(await leases.acquire("relay", 1000)).toBeUndefined();
    await leases.release({ name, token });
    expect(await failure(() => leases.renew({ name, token }, 5000))).toBe("lease");
    expect(await leases.acquire("relay", 1000)).toBeDefined();
  });

  test("a write that carries an expired lease is refused, whether or not another took it", async () => {
    const clock = new ManualClock();
    const { leases, entities } = await fixture(open, clock);
    const fence = await leases.acquire("relay", 1000);
    if (fence === undefined) throw new Error("the lease was free");
    const write = async (a: number): Promise<void> => {
      const transaction = await entities.begin({ fence });
      transaction.upsert(item("x"), { a });
      await transaction.commit();
    };
    await write(1);
    clock.advance(1000);
    expect(await failure(() => write(2))).toBe("lease");
    expect(await leases.acquire("relay", 1000)).toBeDefined();
    expect(await failure(() => write(3))).toBe("lease");
    expect((await entities.get(item("x")))?.fields).toEqual({ a: 1 });
  });
}
