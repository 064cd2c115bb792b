import { counted } from "../../../lib/counted.ts";

export const shortPassword = (least: number): string => `a password must have at least ${counted(least, "character")}`;
export const deadLink = "this link is no longer valid: ask for a new one";
export const needsCode = "enter the code of your authenticator app";
export const wrongCode = "that code is not valid";
export const lateCode = "this sign-in has expired: enter your password again";
export const notYourPassword = "that is not your password";
export const noPassword = "this account has no password";
export const factorIsOn = "the second factor is already on";
