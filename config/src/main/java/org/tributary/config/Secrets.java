package org.tributary.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;

/** Reads a job's secret; no message of it ever contains any part of one. */
final class Secrets {
    static final int MIN_BYTES = 16;
    private static final Set<PosixFilePermission> OWNER_ONLY =
        EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private Secrets() {
    }

    static byte[] parse(String hex) {
        byte[] secret;
        try {
            secret = HexFormat.of().parseHex(hex.strip());
        } catch (IllegalArgumentException e) {
            throw new ConfigException("the secret is not hexadecimal");
        }
        if (secret.length < MIN_BYTES) {
            throw new ConfigException("the secret has " + secret.length
                + " bytes; at least " + MIN_BYTES + " are needed");
        }
        return secret;
    }

    static byte[] read(Path file) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (!OWNER_ONLY.containsAll(permissions)) {
                throw new ConfigException(file + " has the permissions " + PosixFilePermissions.toString(permissions)
                    + "; a secret must be readable by its owner alone: chmod 600 " + file);
            }
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new ConfigException("cannot read the secret in " + file + ": " + Shortage.describe(e, file));
        }
    }
}
