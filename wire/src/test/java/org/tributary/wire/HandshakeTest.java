package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.codec.ChallengeDecoder;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedEncoder;
import org.tributary.wire.codec.ResponseDecoder;
import org.tributary.wire.codec.Role;

/**
 * Both sides of a handshake without a connection between them: everything that a rogue server, a rogue client, or
 * somebody on the way can do to a frame, in every state.
 */
class HandshakeTest {
    private static final byte[] SECRET = "a secret of 20 bytes".getBytes(StandardCharsets.UTF_8);
    private static final int NODE = 1;
    private static final int MAX_PAYLOAD = 4711;

    private static byte[] filled(int value) {
        byte[] nonce = new byte[Handshake.TOKEN_BYTES];
        Arrays.fill(nonce, (byte) value);
        return nonce;
    }

    private static Membership membership(byte[] secret, String jobId, String... settings) {
        Settings.Builder builder = Settings.builder();
        List.of(settings).forEach(builder::set);
        return new Membership(jobId, secret, Agreement.of(builder.build(), Topology.of(2, 2)));
    }

    private static Membership membership(String... settings) {
        return membership(SECRET, "job", settings);
    }

    /** One side of each kind; what either says last stays in {@code refusal}. */
    private static ConnectingHandshake connecting(Membership membership, Role role, int wanted, int nonce) {
        return new ConnectingHandshake(membership, new Handshake.Peer(role, 3, 1, 99), wanted, "there:7",
            filled(nonce));
    }

    private static ConnectingHandshake connecting() {
        return connecting(membership(), Role.REMOTE_RANK, NODE, 1);
    }

    private static AcceptingHandshake.Gate gate(Handshake.Refusal problem) {
        return new AcceptingHandshake.Gate() {
            @Override
            public Handshake.Refusal problemWith(Handshake.Peer peer) {
                return problem;
            }

            @Override
            public int maxPayload(Role role) {
                return role == Role.CHANNEL ? 1 : MAX_PAYLOAD;
            }
        };
    }

    private static AcceptingHandshake accepting(Membership membership, int nonce) {
        return new AcceptingHandshake(membership, NODE, filled(nonce));
    }

    private static AcceptingHandshake accepting() {
        return accepting(membership(), 2);
    }

    private static byte[] give(Handshake to, byte[] frame) {
        return give(to, frame, null);
    }

    /** A server decides about a peer that has proved itself: there is a place, or a problem. */
    private static byte[] give(Handshake to, byte[] frame, Handshake.Refusal problem) {
        byte[] answer = to.receive(new UnsafeBuffer(frame), 0, frame.length);
        return to instanceof AcceptingHandshake server && server.isProved() ? server.decide(gate(problem)) : answer;
    }

    @Test
    void shouldDecideNothingWhenNothingIsProved() {
        AcceptingHandshake server = accepting();
        assertThrows(IllegalStateException.class, () -> server.decide(gate(null)));
        ConnectingHandshake client = connecting();
        byte[] response = give(client, give(server, client.hello()));
        assertThrows(IllegalStateException.class, () -> server.decide(gate(null)));
        assertEquals(0, server.receive(new UnsafeBuffer(response), 0, response.length).length);
        assertTrue(server.isProved() && !server.isAdmitted() && !server.isOver());
        assertThrows(IllegalStateException.class, () -> server.receive(new UnsafeBuffer(response), 0, response.length));
        assertTrue(server.decide(gate(null)).length > 0);
        assertTrue(server.isAdmitted() && !server.isProved());
    }

    /** The four frames of a handshake that succeeds. */
    private static byte[][] exchange(ConnectingHandshake client, AcceptingHandshake server) {
        byte[][] frames = new byte[4][];
        frames[0] = client.hello();
        frames[1] = give(server, frames[0]);
        frames[2] = give(client, frames[1]);
        frames[3] = give(server, frames[2]);
        assertEquals(0, give(client, frames[3]).length);
        return frames;
    }

    private static byte[][] exchange() {
        return exchange(connecting(), accepting());
    }

    /** A client that has sent so many frames, and takes the next one of these from somebody who knows the secret. */
    private static ConnectingHandshake clientAt(int state) {
        ConnectingHandshake client = connecting();
        byte[] hello = client.hello();
        if (state == 1) {
            give(client, give(accepting(), hello));
        }
        return client;
    }

    private static AcceptingHandshake serverAt(int state) {
        AcceptingHandshake server = accepting();
        if (state == 1) {
            give(server, connecting().hello());
        }
        return server;
    }

    private static void refused(Handshake side, RefusalCode code, String... texts) {
        assertFalse(side.isAdmitted());
        assertEquals(code, side.refusal().code(), () -> side.refusal().detail());
        for (String text : texts) {
            assertTrue(side.refusal().detail().contains(text), () -> side.refusal().detail());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Role.class, names = "NULL_VAL", mode = EnumSource.Mode.EXCLUDE)
    void shouldAdmitAndAgreeOnSecretsWhenBothKnowTheJob(Role role) {
        ConnectingHandshake client = connecting(membership(), role, NODE, 1);
        AcceptingHandshake server = accepting();
        exchange(client, server);
        assertTrue(client.isAdmitted() && server.isAdmitted());
        assertNull(client.refusal());
        assertEquals(new Handshake.Peer(role, 3, 1, 99), server.peer());
        assertEquals(role == Role.CHANNEL ? 1 : MAX_PAYLOAD, client.maxPayload());
        assertArrayEquals(client.sendingSecret(), server.receivingSecret());
        assertArrayEquals(client.receivingSecret(), server.sendingSecret());
        assertEquals(Handshake.TOKEN_BYTES, client.sendingSecret().length);
        assertFalse(Arrays.equals(client.sendingSecret(), client.receivingSecret()));
        assertThrows(IllegalStateException.class, () -> give(client, new byte[20]));
    }

    /** The C client's unit test holds itself against the same file. */
    @Test
    void shouldHaveGoldenBytesWhenComputedAnywhere() throws IOException {
        Membership membership = new Membership("job", SECRET, new Agreement(Map.of("collective.chunk", "16k")));
        ConnectingHandshake client = connecting(membership, Role.REMOTE_RANK, NODE, 1);
        AcceptingHandshake server = accepting(membership, 2);
        byte[][] frames = exchange(client, server);
        ConnectingHandshake refusedClient = connecting(membership, Role.REMOTE_RANK, NODE, 1);
        AcceptingHandshake refusing = accepting(membership, 2);
        byte[] refusal = give(refusing, give(refusedClient, give(refusing, refusedClient.hello())),
            new Handshake.Refusal(RefusalCode.ENDING, "ending"));
        AcceptingHandshake impatient = accepting(membership, 2);
        give(impatient, connecting(membership, Role.REMOTE_RANK, NODE, 1).hello());
        Map<String, byte[]> vectors = new LinkedHashMap<>();
        String[] names = {"hello", "challenge", "response", "welcome"};
        for (int i = 0; i < names.length; i++) {
            vectors.put(names[i], frames[i]);
        }
        vectors.put("refused", refusal);
        vectors.put("turned-away", impatient.turnAway("too slow"));
        vectors.put("to-server", client.sendingSecret());
        vectors.put("from-server", client.receivingSecret());
        StringBuilder text = new StringBuilder();
        vectors.forEach((name, bytes) ->
            text.append(name).append(' ').append(HexFormat.of().formatHex(bytes)).append('\n'));
        try (InputStream golden = HandshakeTest.class.getResourceAsStream("handshake-vectors.txt")) {
            assertEquals(new String(golden.readAllBytes(), StandardCharsets.US_ASCII), text.toString());
        }
    }

    @Test
    void shouldHaveSecretsOfItsOwnWhenAnythingDiffers() {
        ConnectingHandshake first = connecting();
        exchange(first, accepting());
        ConnectingHandshake otherNonce = connecting(membership(), Role.REMOTE_RANK, NODE, 3);
        exchange(otherNonce, accepting());
        ConnectingHandshake otherServerNonce = connecting();
        exchange(otherServerNonce, accepting(membership(), 3));
        ConnectingHandshake otherRole = connecting(membership(), Role.LIFELINE, NODE, 1);
        exchange(otherRole, accepting());
        byte[] secret = "another secret of 28 bytes, ".getBytes(StandardCharsets.UTF_8);
        ConnectingHandshake otherSecret = connecting(membership(secret, "job"), Role.REMOTE_RANK, NODE, 1);
        exchange(otherSecret, accepting(membership(secret, "job"), 2));
        assertEquals(5, List.of(first, otherNonce, otherServerNonce, otherRole, otherSecret).stream()
            .map(side -> HexFormat.of().formatHex(side.sendingSecret())).distinct().count());
    }

    @Test
    void shouldGiveNoSecretsWhenNotAdmitted() {
        assertThrows(IllegalStateException.class, () -> clientAt(1).sendingSecret());
        assertThrows(IllegalStateException.class, () -> serverAt(1).receivingSecret());
    }

    private static byte[] put() {
        byte[] frame = new byte[Frames.HEADER_BYTES + PutEncoder.BLOCK_LENGTH];
        new PutEncoder().wrapAndApplyHeader(Handshake.toEncode(frame), Frames.LENGTH_BYTES, new MessageHeaderEncoder());
        return frame;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRefuseEveryOtherMessageWhenClientWaitsForOne(int state) {
        byte[][] frames = Arrays.copyOf(exchange(), 5);
        frames[4] = put();
        String[] names = {"Hello (1)", "Challenge (2)", "Response (3)", "Welcome (4)", "message 10"};
        int expected = state == 0 ? 1 : 3;
        for (int i = 0; i < frames.length; i++) {
            ConnectingHandshake client = clientAt(state);
            byte[] answer = give(client, frames[i]);
            if (i == expected) {
                assertNull(client.refusal(), names[i]);
            } else {
                refused(client, RefusalCode.OUT_OF_ORDER, "there:7", names[i] + " where " + names[expected]);
                assertEquals(5, new UnsafeBuffer(answer).getShort(6));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRefuseEveryOtherMessageWhenServerWaitsForOne(int state) {
        byte[][] frames = Arrays.copyOf(exchange(), 5);
        frames[4] = put();
        String[] names = {"Hello (1)", "Challenge (2)", "Response (3)", "Welcome (4)", "message 10"};
        for (int i = 0; i < frames.length; i++) {
            AcceptingHandshake server = serverAt(state);
            give(server, frames[i]);
            if (i == 2 * state) {
                assertNull(server.refusal(), names[i]);
            } else {
                refused(server, RefusalCode.OUT_OF_ORDER, names[i] + " where " + names[2 * state]);
            }
        }
    }

    /** Nothing that either side says can be changed on the way: each bit of each frame counts. */
    @Test
    void shouldAdmitNobodyWhenAnyBitIsChangedOnTheWay() {
        byte[][] frames = exchange();
        for (int which = 0; which < frames.length; which++) {
            for (int bit = 0; bit < 8 * frames[which].length; bit++) {
                ConnectingHandshake client = connecting();
                AcceptingHandshake server = accepting();
                relay(client, server, which, bit);
                String place = "frame " + which + ", bit " + bit;
                assertFalse(client.isAdmitted(), place);
                assertTrue(server.isAdmitted() == (which == 3), place); // it cannot know what becomes of its Welcome
            }
        }
    }

    private static void relay(ConnectingHandshake client, AcceptingHandshake server, int which, int bit) {
        byte[] frame = client.hello();
        for (int i = 0; frame.length > 0; i++) {
            if (i == which) {
                frame[bit / 8] ^= (byte) (1 << bit % 8);
            }
            Handshake to = i % 2 == 0 ? server : client;
            if (to.isOver()) {
                return;
            }
            frame = give(to, frame);
        }
    }

    @Test
    void shouldRefuseWhenFramesAreTruncatedOrTooLong() {
        byte[][] frames = exchange();
        for (int which = 0; which < frames.length; which++) {
            for (int length = 0; length <= frames[which].length + 3; length++) {
                if (length == frames[which].length) {
                    continue;
                }
                for (boolean honest : new boolean[] {true, false}) {
                    byte[] frame = Arrays.copyOf(frames[which], length);
                    if (honest && length >= Frames.LENGTH_BYTES) {
                        new UnsafeBuffer(frame).putInt(0, length);
                    }
                    Handshake side = which % 2 == 0 ? serverAt(which / 2) : clientAt(which / 2);
                    give(side, frame);
                    assertEquals(RefusalCode.OUT_OF_ORDER, side.refusal().code(), which + " of " + length);
                }
            }
        }
    }

    @Test
    void shouldRefuseWhenAnEarlierHandshakeIsReplayed() {
        byte[][] frames = exchange();
        AcceptingHandshake server = accepting(membership(), 3);
        give(server, frames[0]);
        give(server, frames[2]);
        refused(server, RefusalCode.WRONG_SECRET, "does not know this job's secret");
        ConnectingHandshake client = connecting(membership(), Role.REMOTE_RANK, NODE, 3);
        client.hello();
        give(client, frames[1]);
        refused(client, RefusalCode.WRONG_SECRET, "does not know the secret of job job");
        ConnectingHandshake later = connecting(membership(), Role.REMOTE_RANK, NODE, 3);
        give(later, give(accepting(), later.hello()));
        give(later, frames[3]);
        refused(later, RefusalCode.WRONG_SECRET, "the proof in Welcome is wrong");
    }

    /** A proof is good for its own message only, even from and to processes that know the secret. */
    @Test
    void shouldRefuseWhenProofsAreReflected() {
        ConnectingHandshake client = connecting();
        AcceptingHandshake server = accepting();
        byte[] challenge = give(server, client.hello());
        byte[] response = give(client, challenge);
        byte[] reflected = response.clone();
        System.arraycopy(challenge, Frames.HEADER_BYTES + ChallengeDecoder.proofEncodingOffset(), reflected,
            Frames.HEADER_BYTES + ResponseDecoder.proofEncodingOffset(), Handshake.TOKEN_BYTES);
        give(server, reflected);
        refused(server, RefusalCode.WRONG_SECRET);
        AcceptingHandshake honest = accepting();
        ConnectingHandshake second = connecting();
        byte[] welcome = give(honest, give(second, give(honest, second.hello())));
        System.arraycopy(response, Frames.HEADER_BYTES, welcome, welcome.length - Handshake.TOKEN_BYTES,
            Handshake.TOKEN_BYTES);
        give(second, welcome);
        refused(second, RefusalCode.WRONG_SECRET);
    }

    /** A server of the same job that passes on what another one says cannot stand for it. */
    @Test
    void shouldRefuseWhenServerIsThatOfAnotherNode() {
        ConnectingHandshake client = connecting(membership(), Role.CHANNEL, 2, 1);
        AcceptingHandshake server = accepting();
        byte[] refusal = give(client, give(server, client.hello()));
        refused(client, RefusalCode.WRONG_NODE, "looked for the server of node 2 and found that of node 1", "there:7",
            "in the order of their nodes");
        give(server, refusal);
        refused(server, RefusalCode.WRONG_NODE, "looked for the server of node 2 and found that of node 1");
    }

    @Test
    void shouldNameWhatDiffersWhenSettingsDiffer() {
        ConnectingHandshake client = connecting(membership("collective.chunk=32k", "cooperation.mode=combine"),
            Role.LOCAL_RANK, NODE, 1);
        AcceptingHandshake server = accepting();
        give(client, give(server, give(client, give(server, client.hello()))));
        for (Handshake side : List.of(client, server)) {
            refused(side, RefusalCode.SETTINGS_DIFFER,
                "collective.chunk is 16k at the server of node 1 and 32k at rank 3 of node 1; cooperation.mode is"
                    + " none at the server of node 1 and combine at rank 3 of node 1. Start every server and rank"
                    + " of the job with the same settings");
        }
    }

    /** The setting may be the same, and mean another one on each machine. */
    @Test
    void shouldNameBothWhenNetworkAdaptersDiffer() {
        ConnectingHandshake client = connecting(membership().withAdapter("cxi"), Role.NEIGHBOUR, NODE, 1);
        AcceptingHandshake server = accepting(membership().withAdapter("verbs;ofi_rxm"), 2);
        give(client, give(server, give(client, give(server, client.hello()))));
        for (Handshake side : List.of(client, server)) {
            refused(side, RefusalCode.SETTINGS_DIFFER, "the adapter of network.fabric is verbs;ofi_rxm at the server of"
                + " node 1 and cxi at the server of node 1 (name one that all nodes have, or none)");
        }
    }

    /** Ranks in C have no adapter, whatever their node has. */
    @Test
    void shouldAdmitWhenOneSideHasNothingToDoWithAdapters() {
        ConnectingHandshake client = connecting(membership(), Role.LOCAL_RANK, NODE, 1);
        exchange(client, accepting(membership().withAdapter("cxi"), 2));
        assertTrue(client.isAdmitted());
        ConnectingHandshake other = connecting(membership().withAdapter("cxi"), Role.LOCAL_RANK, NODE, 1);
        exchange(other, accepting(membership().withAdapter("cxi"), 2));
        assertTrue(other.isAdmitted());
    }

    @Test
    void shouldRefuseWhenSecretOrJobDiffers() {
        byte[] otherSecret = SECRET.clone();
        otherSecret[19] ^= 1;
        ConnectingHandshake client = connecting(membership(otherSecret, "job"), Role.SERVER, NODE, 1);
        AcceptingHandshake server = accepting();
        byte[] refusal = give(client, give(server, client.hello()));
        refused(client, RefusalCode.WRONG_SECRET, "does not know the secret of job job");
        give(server, refusal);
        refused(server, RefusalCode.WRONG_SECRET, "it has another secret than this job");
        ConnectingHandshake stranger = connecting(membership(SECRET, "joc"), Role.SERVER, NODE, 1);
        AcceptingHandshake other = accepting();
        give(stranger, give(other, stranger.hello()));
        refused(other, RefusalCode.WRONG_JOB, "belongs to another job");
        refused(stranger, RefusalCode.WRONG_JOB, "there:7 refused the connection: WRONG_JOB");
    }

    @Test
    void shouldRefuseWhenRoleIsUnknown() {
        byte[] hello = connecting().hello();
        for (int role : new int[] {7, 99, 255}) {
            hello[Frames.HEADER_BYTES + HelloEncoder.roleEncodingOffset()] = (byte) role;
            AcceptingHandshake server = accepting();
            give(server, hello);
            refused(server, RefusalCode.WRONG_RANK, "unknown role " + role);
        }
    }

    @Test
    void shouldNameBothVersionsWhenReleaseIsAnother() {
        byte[] hello = connecting().hello();
        hello[10] = 2;
        AcceptingHandshake server = accepting();
        byte[] refusal = give(server, hello);
        refused(server, RefusalCode.WRONG_VERSION, "in version 2 of the protocol", "in version 1 were expected");
        ConnectingHandshake client = clientAt(0);
        give(client, refusal);
        refused(client, RefusalCode.WRONG_VERSION, "in version 2 of the protocol");
    }

    @Test
    void shouldTellWhyWhenGateRefuses() {
        AcceptingHandshake server = accepting();
        ConnectingHandshake client = connecting();
        give(client, give(server, give(client, give(server, client.hello())),
            new Handshake.Refusal(RefusalCode.TAKE_ROUTE, "as many as there may be")));
        assertThrows(IllegalStateException.class, () -> server.decide(gate(null)));
        refused(client, RefusalCode.TAKE_ROUTE, "there:7 refused the connection: TAKE_ROUTE, as many as there may be");
    }

    /** Once the server has proved itself, somebody on the way cannot refuse in its name. */
    @Test
    void shouldNotBelieveRefusalWhenItIsNotProved() {
        byte[] text = "\u001b[2Jtake another way".getBytes(StandardCharsets.UTF_8);
        byte[] frame = new byte[Frames.HEADER_BYTES + RefusedEncoder.BLOCK_LENGTH + Short.BYTES + text.length];
        new RefusedEncoder().wrapAndApplyHeader(Handshake.toEncode(frame), Frames.LENGTH_BYTES,
            new MessageHeaderEncoder()).code(RefusalCode.TAKE_ROUTE).putDetail(text, 0, text.length);
        ConnectingHandshake early = clientAt(0);
        give(early, frame);
        refused(early, RefusalCode.TAKE_ROUTE, "?[2Jtake another way");
        ConnectingHandshake late = clientAt(1);
        give(late, frame);
        refused(late, RefusalCode.WRONG_SECRET, "the proof in Refused is wrong", "changes messages");
    }

    /** The server has turned away who is slow before it has seen the Response. */
    @Test
    void shouldBelieveARefusalWhenItCrossesTheResponse() {
        AcceptingHandshake server = accepting();
        ConnectingHandshake client = connecting();
        byte[] challenge = give(server, client.hello());
        byte[] refusal = server.turnAway("too slow");
        give(client, challenge);
        give(client, refusal);
        refused(client, RefusalCode.TOO_MANY, "there:7 refused the connection: TOO_MANY, too slow");
        ConnectingHandshake misled = connecting();
        misled.hello();
        give(misled, challenge);
        byte[] changed = refusal.clone();
        changed[changed.length - 1] ^= 1;
        give(misled, changed);
        refused(misled, RefusalCode.WRONG_SECRET, "the proof in Refused is wrong");
    }

    @Test
    void shouldKeepItsSecretWhenCallerClearsItsOwn() {
        byte[] secret = SECRET.clone();
        Membership membership = membership(secret, "job");
        Arrays.fill(secret, (byte) 0);
        exchange(connecting(membership, Role.REMOTE_RANK, NODE, 1), accepting());
    }

    @Test
    void shouldNameBothValuesWhenEncryptionDiffers() {
        Agreement kernel = Agreement.of(Settings.builder().set("network.encryption=ktls").build(), Topology.of(1, 2));
        Agreement records = Agreement.of(Settings.builder().set("network.encryption=aes-gcm").build(),
            Topology.of(1, 2));
        String differences = kernel.differences(records.toString(), "rank 1", "node 0");
        assertTrue(differences.contains("network.encryption is ktls at node 0 and aes-gcm at rank 1"), differences);
    }

    @Test
    void shouldReplaceLongAndUnprintableValuesByTheirDigest() {
        String groups = "0-3;4-7;" + "8,9,".repeat(1000);
        Agreement agreement = Agreement.of(Settings.builder().set("cooperation.groups=" + groups).build(),
            Topology.of(1, 2));
        String text = agreement.toString();
        assertTrue(text.contains("\ncooperation.groups=(4008 bytes, SHA-256 "), text);
        assertTrue(text.contains("\nlayout=1,2\n"), text);
        assertTrue(text.length() < Agreement.MAX_BYTES / 2, text);
        assertEquals("", agreement.differences(text, "me", "you"));
        assertNotEquals("", agreement.differences("", "me", "you"));
        assertTrue(agreement.differences(text + "new.setting=7\n", "rank 5", "node 2").contains(
            "new.setting is unknown at node 2 and 7 at rank 5"), text);
    }
}
