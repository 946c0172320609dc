/* Releases, as processes compare them; see org.tributary.wire.Release. */
#include "base.h"

#include "wire/hello.h"

/* TRIB_SCHEMA_DIGEST comes from the build: the first 8 bytes of the SHA-256 of the message schema. */
void trib_release_text(char text[TRIB_RELEASE_BYTES]) {
    snprintf(text, TRIB_RELEASE_BYTES, "schema %d %s", (int) wire_hello_sbe_schema_version(), TRIB_SCHEMA_DIGEST);
}
