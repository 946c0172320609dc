/* The records of encrypted connections, and libcrypto. */
#include "net/records.h"

#include "net/ktls.h"
#include "net/sha256.h"
#include "testing.h"
#include "units.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t record_secret[TRIB_RECORD_SECRET_BYTES + 1] = "0123456789abcdef0123456789ABCDEF";
static const uint8_t other_secret[TRIB_RECORD_SECRET_BYTES + 1] = "another secret of as many bytes.";

/** Makes the records of org.tributary.wire.record.RecordsTest. */
void print_records(void) {
    static const char *const contents[] = {"", "one", "the third, under another key", "the last"};
    struct trib_crypto crypto;
    OK(trib_crypto_load(&crypto, NULL));
    struct trib_records *records = trib_records_new(&crypto, record_secret, other_secret);
    trib_records_renew_after(records, 2);
    for (int i = 0; i < 4; i++) {
        uint8_t record[200];
        size_t bytes = trib_records_seal(records, contents[i], (int) strlen(contents[i]), i == 3, record);
        for (size_t j = 0; j < bytes; j++) {
            printf("%02x", record[j]);
        }
        puts("");
    }
    trib_records_free(records);
}

/** Makes what org.tributary.wire.record.KernelTlsTest has the kernel told. */
void print_kernel_keys(void) {
    uint8_t secret[TRIB_RECORD_SECRET_BYTES];
    memcpy(secret, record_secret, sizeof secret);
    for (int i = 0; i < 2; i++) {
        uint8_t info[TRIB_KTLS_INFO_BYTES];
        trib_ktls_info(secret, info);
        for (int j = 0; j < TRIB_KTLS_INFO_BYTES; j++) {
            printf("%02x", info[j]);
        }
        puts("");
        trib_hkdf_expand(secret, "tributary next", secret, sizeof secret);
    }
}

/** A sender with a secret and a receiver with the same, and their sockets. */
struct record_pair {
    int fds[2];
    struct trib_crypto crypto;
    struct trib_records *sender;
    struct trib_records *receiver;
};

static void pair_open(struct record_pair *pair) {
    EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair->fds), 0);
    OK(trib_crypto_load(&pair->crypto, NULL));
    pair->sender = trib_records_new(&pair->crypto, record_secret, other_secret);
    pair->receiver = trib_records_new(&pair->crypto, other_secret, record_secret);
}

static void pair_close(struct record_pair *pair) {
    close(pair->fds[0]);
    close(pair->fds[1]);
    trib_records_free(pair->sender);
    trib_records_free(pair->receiver);
}

static void pair_connect(struct record_pair *pair) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int one = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    EQUAL(bind(listener, (struct sockaddr *) &address, length), 0);
    EQUAL(listen(listener, 1), 0);
    EQUAL(getsockname(listener, (struct sockaddr *) &address, &length), 0);
    pair->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    EQUAL(setsockopt(pair->fds[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), 0);
    EQUAL(connect(pair->fds[0], (struct sockaddr *) &address, length), 0);
    pair->fds[1] = accept(listener, NULL, NULL);
    close(listener);
}

/** The same over TCP, of a kernel that can do it. */
static void pair_open_in_kernel(struct record_pair *pair) {
    pair_connect(pair);
    pair->sender = trib_records_by_kernel(pair->fds[0], record_secret, other_secret);
    pair->receiver = trib_records_by_kernel(pair->fds[1], other_secret, record_secret);
    CHECK(pair->sender != NULL && pair->receiver != NULL);
    trib_records_renew_after(pair->receiver, 5); /* the kernel has to be asked from then on */
}

/** Waits as ranks do: for the kernel to say that there is something to read. */
static void await_readable(const struct record_pair *pair) {
    struct pollfd poller = {.fd = pair->fds[1], .events = POLLIN};
    EQUAL(poll(&poller, 1, 20000), 1);
}

/** More than the sockets hold, in pieces that fit nothing, under several keys. */
static void should_carry_a_stream_in_records(bool by_kernel) {
    struct record_pair pair;
    static uint8_t source[3000000];
    static uint8_t target[sizeof source];
    by_kernel ? pair_open_in_kernel(&pair) : pair_open(&pair);
    trib_records_renew_after(pair.sender, 5);
    for (size_t i = 0; i < sizeof source; i++) {
        source[i] = (uint8_t) (i * 31 + i / 1000);
    }
    size_t sent = 0;
    size_t received = 0;
    for (size_t turn = 1; received < sizeof source; turn++) {
        size_t piece = turn * 7919 % 90000;
        piece = piece < sizeof source - sent ? piece : sizeof source - sent;
        size_t first = piece / (turn % 5 + 1);
        struct iovec vectors[] = {{source + sent, first}, {source + sent + first, piece - first}};
        ssize_t taken = trib_records_send(pair.sender, pair.fds[0], vectors, 2);
        CHECK(taken >= 0 || errno == EAGAIN);
        sent += taken > 0 ? (size_t) taken : 0;
        trib_records_flush(pair.sender, pair.fds[0]);
        size_t room = turn * 104729 % 50000 + 1;
        room = room < sizeof target - received ? room : sizeof target - received;
        ssize_t given = trib_records_receive(pair.receiver, pair.fds[1], target + received, room);
        CHECK(given > 0 || errno == EAGAIN);
        received += given > 0 ? (size_t) given : 0;
        if (by_kernel && given < 0 && received < sent) {
            await_readable(&pair);
        }
    }
    EQUAL(memcmp(source, target, sizeof source), 0);
    trib_records_end(pair.sender, pair.fds[0]);
    EQUAL(shutdown(pair.fds[0], SHUT_WR), 0);
    ssize_t end;
    do { /* the last record may be read before the end */
        await_readable(&pair);
        end = trib_records_receive(pair.receiver, pair.fds[1], target, sizeof target);
    } while (end < 0 && errno == EAGAIN);
    EQUAL(end, 0);
    pair_close(&pair);
}

static void should_find_that_a_stream_of_the_kernel_was_cut_off(void) {
    struct record_pair pair;
    uint8_t content[16];
    const struct iovec vector = {.iov_base = (void *) (uintptr_t) "content", .iov_len = 7};
    pair_open_in_kernel(&pair);
    EQUAL(trib_records_send(pair.sender, pair.fds[0], &vector, 1), 7);
    EQUAL(shutdown(pair.fds[0], SHUT_WR), 0);
    await_readable(&pair);
    EQUAL(trib_records_receive(pair.receiver, pair.fds[1], content, sizeof content), 7);
    await_readable(&pair);
    EQUAL(trib_records_receive(pair.receiver, pair.fds[1], content, sizeof content), -1);
    EQUAL(errno, EBADMSG);
    CHECK(strstr(trib_records_problem(pair.receiver), "without a last record") != NULL);
    pair_close(&pair);
}

/** The sender encrypts nothing: what it sends is no record of the stream. */
static void should_refuse_what_is_no_record_of_the_kernel(void) {
    static const uint8_t forged[30] = {23, 3, 3, 0, 25};
    struct record_pair pair;
    uint8_t content[16];
    pair_connect(&pair);
    pair.sender = NULL;
    pair.receiver = trib_records_by_kernel(pair.fds[1], other_secret, record_secret);
    EQUAL(write(pair.fds[0], forged, sizeof forged), (ssize_t) sizeof forged);
    for (int i = 0; i < 2; i++) {
        await_readable(&pair);
        EQUAL(trib_records_receive(pair.receiver, pair.fds[1], content, sizeof content), -1);
        EQUAL(errno, EBADMSG);
        CHECK(strstr(trib_records_problem(pair.receiver), "record 0 of an encrypted stream does not verify") != NULL);
    }
    pair_close(&pair);
}

static void should_say_what_a_kernel_lacks(void) {
    FAILS(trib_ktls_check(), TRIB_ATTACH_FAILED, "network.encryption = ktls: the kernel of this machine (Linux ");
    FAILS(trib_ktls_check(), TRIB_ATTACH_FAILED, "use network.encryption = aes-gcm");
}

/** Sends three records of which the second is treated badly; the last two arguments: what the receiver says. */
static void expect_refused(void (*treat)(uint8_t *stream, size_t *bytes, size_t record), const char *problem) {
    struct record_pair pair;
    uint8_t stream[1000];
    size_t bytes = 0;
    size_t record = 0;
    uint8_t content[16];
    pair_open(&pair);
    for (int i = 0; i < 3; i++) {
        record = trib_records_seal(pair.sender, "some content", 12, false, stream + bytes);
        bytes += record;
    }
    treat(stream, &bytes, record);
    EQUAL(write(pair.fds[0], stream, bytes), bytes);
    EQUAL(shutdown(pair.fds[0], SHUT_WR), 0);
    ssize_t given;
    do {
        given = trib_records_receive(pair.receiver, pair.fds[1], content, 12);
    } while (given == 12 || (given < 0 && errno == EAGAIN));
    EQUAL(given, -1);
    EQUAL(errno, EBADMSG);
    CHECK(strstr(trib_records_problem(pair.receiver), problem) != NULL);
    EQUAL(trib_records_receive(pair.receiver, pair.fds[1], content, 12), -1);
    pair_close(&pair);
}

static void flip(uint8_t *stream, size_t *bytes, size_t record) {
    stream[record + *bytes % record + 7] ^= 4;
}

static void drop(uint8_t *stream, size_t *bytes, size_t record) {
    memmove(stream + record, stream + 2 * record, record);
    *bytes -= record;
}

static void repeat(uint8_t *stream, size_t *bytes, size_t record) {
    (void) bytes;
    memcpy(stream + record, stream, record);
}

static void reorder(uint8_t *stream, size_t *bytes, size_t record) {
    uint8_t kept[100];
    (void) bytes;
    memcpy(kept, stream + record, record);
    memcpy(stream + record, stream + 2 * record, record);
    memcpy(stream + 2 * record, kept, record);
}

static void lengthen(uint8_t *stream, size_t *bytes, size_t record) {
    (void) bytes;
    stream[record + 2] = 0xff;
}

static void cut(uint8_t *stream, size_t *bytes, size_t record) {
    (void) stream;
    *bytes -= record;
}

static void cut_within(uint8_t *stream, size_t *bytes, size_t record) {
    (void) stream;
    *bytes -= record / 2;
}

static void should_refuse_a_stream_that_was_tampered_with(void) {
    expect_refused(flip, "record 1 of an encrypted stream does not verify: it was changed");
    expect_refused(drop, "record 1 of an encrypted stream does not verify");
    expect_refused(repeat, "record 1 of an encrypted stream does not verify");
    expect_refused(reorder, "record 1 of an encrypted stream does not verify");
    expect_refused(lengthen, "its head is none");
    expect_refused(cut, "without a last record");
    expect_refused(cut_within, "within a record");
}

static void should_name_the_library_when_there_is_none(void) {
    static const char *const none[] = {"libcrypto-of-nobody.so.3", NULL};
    static const char *const other[] = {"libc.so.6", NULL};
    struct trib_crypto crypto;
    FAILS(trib_crypto_load(&crypto, none), TRIB_ATTACH_FAILED, "libcrypto.so.3 or libcrypto.so.1.1");
    FAILS(trib_crypto_load(&crypto, none), TRIB_ATTACH_FAILED, "libcrypto-of-nobody.so.3");
    FAILS(trib_crypto_load(&crypto, other), TRIB_ATTACH_FAILED, "libc.so.6 has no EVP_aes_128_gcm");
}

void test_kernel_records(void) {
    OK(trib_ktls_check());
    should_carry_a_stream_in_records(true);
    should_find_that_a_stream_of_the_kernel_was_cut_off();
    should_refuse_what_is_no_record_of_the_kernel();
}

void test_records(void) {
    should_name_the_library_when_there_is_none();
    should_carry_a_stream_in_records(false);
    should_refuse_a_stream_that_was_tampered_with();
    if (trib_ktls_check() == TRIB_OK) {
        test_kernel_records();
    } else {
        should_say_what_a_kernel_lacks();
    }
}
