import { Entity, type ID, type Index, type Unique } from "fw";

/** A user who writes or reads articles. */
export interface Person {
  id: ID;
  username: Unique<string>;
  /** The email address in lower case. */
  email: Unique<string>;
  /** The hash that `password.ts` creates. */
  password: string;
  bio: string | null;
  image: string | null;
}
export const people = Entity<Person>("people");

/** A follow relationship. Its id combines both users' ids, so it exists at most once. */
export interface Follow {
  id: ID;
  follower: Index<string>;
  followed: string;
}
export const follows = Entity<Follow>("follows");

export function followId(follower: string, followed: string): string {
  return `${follower}:${followed}`;
}
