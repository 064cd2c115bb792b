import { Entity, type ID, type Index, type Unique } from "fw";

/** Somebody who writes or reads. */
export interface Person {
  id: ID;
  username: Unique<string>;
  /** In lower case. */
  email: Unique<string>;
  /** As `password.ts` keeps it. */
  password: string;
  bio: string | null;
  image: string | null;
}
export const people = Entity<Person>("people");

/** Who follows whom: its id is both ids, so that nobody follows somebody twice. */
export interface Follow {
  id: ID;
  follower: Index<string>;
  followed: string;
}
export const follows = Entity<Follow>("follows");

export function followId(follower: string, followed: string): string {
  return `${follower}:${followed}`;
}
