/* The records of encrypted connections, and libcrypto. */
#include "records.h"

#include "internal.h"
#include "testing.h"
#include "units.h"

#include <sys/socket.h>
#include <unistd.h>

static const uint8_t record_secret[TRIB_SECRET_BYTES + 1] = "0123456789abcdef0123456789ABCDEF";
static const uint8_t other_secret[TRIB_SECRET_BYTES + 1] = "another secret of as many bytes.";

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

/** What somebody who sends with one secret and somebody who receives with it have, and their sockets. */
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

/** More than the sockets hold, in pieces that fit nothing, under several keys. */
static void should_carry_a_stream_in_records(void) {
    struct record_pair pair;
    static uint8_t source[3000000];
    static uint8_t target[sizeof source];
    pair_open(&pair);
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
    }
    EQUAL(memcmp(source, target, sizeof source), 0);
    trib_records_end(pair.sender, pair.fds[0]);
    EQUAL(shutdown(pair.fds[0], SHUT_WR), 0);
    EQUAL(trib_records_receive(pair.receiver, pair.fds[1], target, sizeof target), -1);
    EQUAL(errno, EAGAIN); /* the last record was read, not the end */
    EQUAL(trib_records_receive(pair.receiver, pair.fds[1], target, sizeof target), 0);
    pair_close(&pair);
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

void test_records(void) {
    should_name_the_library_when_there_is_none();
    should_carry_a_stream_in_records();
    should_refuse_a_stream_that_was_tampered_with();
}
