import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** PostgreSQL's default number of iterations. */
const iterations = 4096;

/**
 * Returns the SCRAM-SHA-256 verifier that PostgreSQL stores for a password, so that the server never receives the
 * password. The password must be ASCII, which needs no normalization.
 */
export async function scramVerifier(password: string, salt: Buffer = randomBytes(16)): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, iterations, 32, "sha256");
  const key = (name: string): Buffer => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(key("Client Key")).digest("base64");
  const serverKey = key("Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
