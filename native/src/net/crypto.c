#include "crypto.h"

#include <dlfcn.h>

#include "rank/rank.h"

/* Of openssl/evp.h; the same in 1.1 and 3. */
#define CONTROL_GET_TAG 0x10
#define CONTROL_SET_TAG 0x11

static int load(struct trib_crypto *crypto, void *library, const char *name) {
    const struct {
        void *field;
        const char *symbol;
    } functions[] = {
        {&crypto->aes_128_gcm, "EVP_aes_128_gcm"},
        {&crypto->context_new, "EVP_CIPHER_CTX_new"},
        {&crypto->context_free, "EVP_CIPHER_CTX_free"},
        {&crypto->context_control, "EVP_CIPHER_CTX_ctrl"},
        {&crypto->encrypt_init, "EVP_EncryptInit_ex"},
        {&crypto->encrypt_update, "EVP_EncryptUpdate"},
        {&crypto->encrypt_final, "EVP_EncryptFinal_ex"},
        {&crypto->decrypt_init, "EVP_DecryptInit_ex"},
        {&crypto->decrypt_update, "EVP_DecryptUpdate"},
        {&crypto->decrypt_final, "EVP_DecryptFinal_ex"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].symbol);
        if (found == NULL) {
            return trib_fail(TRIB_ATTACH_FAILED, "network.encryption = aes-gcm: %s has no %s", name,
                             functions[i].symbol);
        }
        memcpy(functions[i].field, &found, sizeof found); /* ISO C converts no pointer to data to one to a function */
    }
    return TRIB_OK;
}

int trib_crypto_load(struct trib_crypto *crypto, const char *const *names) {
    static const char *const usual[] = {"libcrypto.so.3", "libcrypto.so.1.1", NULL};
    char problem[256] = "";
    names = names == NULL ? usual : names;
    for (int i = 0; names[i] != NULL; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library != NULL) {
            return load(crypto, library, names[i]);
        }
        size_t length = strlen(problem);
        snprintf(problem + length, sizeof problem - length, "%s%s", i == 0 ? "" : "; ", dlerror());
    }
    return trib_fail(TRIB_ATTACH_FAILED, "network.encryption = aes-gcm needs libcrypto.so.3 or libcrypto.so.1.1 of"
                     " OpenSSL (Debian: apt-get install libssl3; or name its folder in LD_LIBRARY_PATH): %s", problem);
}

bool trib_crypto_seal(const struct trib_crypto *crypto, void *context, const uint8_t nonce[TRIB_NONCE_BYTES],
                      const uint8_t *head, int head_bytes, const uint8_t *in, int bytes, uint8_t *out) {
    int made = 0;
    return crypto->encrypt_init(context, NULL, NULL, NULL, nonce) == 1
        && crypto->encrypt_update(context, NULL, &made, head, head_bytes) == 1
        && (bytes == 0 || crypto->encrypt_update(context, out, &made, in, bytes) == 1)
        && crypto->encrypt_final(context, out + bytes, &made) == 1
        && crypto->context_control(context, CONTROL_GET_TAG, TRIB_RECORD_TAG_BYTES, out + bytes) == 1;
}

bool trib_crypto_open(const struct trib_crypto *crypto, void *context, const uint8_t nonce[TRIB_NONCE_BYTES],
                      const uint8_t *head, int head_bytes, const uint8_t *in, int bytes, uint8_t *out) {
    int made = 0;
    return crypto->decrypt_init(context, NULL, NULL, NULL, nonce) == 1
        && crypto->decrypt_update(context, NULL, &made, head, head_bytes) == 1
        && (bytes == 0 || crypto->decrypt_update(context, out, &made, in, bytes) == 1)
        && crypto->context_control(context, CONTROL_SET_TAG, TRIB_RECORD_TAG_BYTES,
                                   (void *) (uintptr_t) (in + bytes)) == 1
        && crypto->decrypt_final(context, out + bytes, &made) == 1;
}
