package org.tributary.miniapps.md;

import java.util.Arrays;

/** The atoms of a rank, and behind them ghosts: copies of atoms near its brick. All arrays grow as needed. */
final class Atoms {
    /** Numbers of an atom in each array. */
    static final int STRIDE = 4;
    /** Numbers of an atom that moves to another rank. */
    static final int RECORD = 8;
    private static final int FIRST_CAPACITY = 1024;

    private int own;
    private int total;
    private int[] numbers = new int[FIRST_CAPACITY];
    private double[] positions = new double[STRIDE * FIRST_CAPACITY];
    private double[] velocities = new double[STRIDE * FIRST_CAPACITY];
    private double[] forces = new double[STRIDE * FIRST_CAPACITY];

    /** Atoms of this rank. */
    int own() {
        return own;
    }

    /** Those and the ghosts. */
    int total() {
        return total;
    }

    /** Numbers in the configuration. */
    int[] numbers() {
        return numbers;
    }

    double[] positions() {
        return positions;
    }

    double[] velocities() {
        return velocities;
    }

    double[] forces() {
        return forces;
    }

    /** Adds an atom of this rank; there must be no ghosts. */
    void add(int number, double x, double y, double z, double charge, double vx, double vy, double vz) {
        reserve(own + 1);
        int at = STRIDE * own;
        numbers[own] = number;
        positions[at] = x;
        positions[at + 1] = y;
        positions[at + 2] = z;
        positions[at + 3] = charge;
        velocities[at] = vx;
        velocities[at + 1] = vy;
        velocities[at + 2] = vz;
        total = ++own;
    }

    /** Adds atoms that a message brings, from a place on. */
    void addRecords(double[] message, int from, int count) {
        for (int i = from; i < from + RECORD * count; i += RECORD) {
            add((int) message[i + 7], message[i], message[i + 1], message[i + 2], message[i + 3], message[i + 4],
                message[i + 5], message[i + 6]);
        }
    }

    /** Puts an atom into a message. */
    void writeRecord(int atom, double[] message, int at) {
        System.arraycopy(positions, STRIDE * atom, message, at, STRIDE);
        System.arraycopy(velocities, STRIDE * atom, message, at + STRIDE, STRIDE - 1);
        message[at + RECORD - 1] = numbers[atom];
    }

    /** Takes an atom away; the last one of this rank gets its place. */
    void remove(int atom) {
        own--;
        total = own;
        numbers[atom] = numbers[own];
        System.arraycopy(positions, STRIDE * own, positions, STRIDE * atom, STRIDE);
        System.arraycopy(velocities, STRIDE * own, velocities, STRIDE * atom, STRIDE);
    }

    /** Adds ghosts whose positions and charges a message brings, from a place on. */
    void addGhosts(double[] message, int from, int count) {
        reserve(total + count);
        System.arraycopy(message, from, positions, STRIDE * total, STRIDE * count);
        total += count;
    }

    void dropGhosts() {
        total = own;
    }

    /** Sorts the atoms of this rank: the one that was at {@code order[i]} comes to {@code i}. No ghosts. */
    void sort(int[] order) {
        int[] sortedNumbers = new int[numbers.length];
        double[] sortedPositions = new double[positions.length];
        double[] sortedVelocities = new double[velocities.length];
        for (int i = 0; i < own; i++) {
            sortedNumbers[i] = numbers[order[i]];
            System.arraycopy(positions, STRIDE * order[i], sortedPositions, STRIDE * i, STRIDE);
            System.arraycopy(velocities, STRIDE * order[i], sortedVelocities, STRIDE * i, STRIDE);
        }
        numbers = sortedNumbers;
        positions = sortedPositions;
        velocities = sortedVelocities;
    }

    /** Those of ghosts too. */
    void clearForces() {
        Arrays.fill(forces, 0, STRIDE * total, 0);
    }

    private void reserve(int atoms) {
        if (atoms > numbers.length) {
            int capacity = Math.max(atoms, numbers.length + numbers.length / 2);
            numbers = Arrays.copyOf(numbers, capacity);
            positions = Arrays.copyOf(positions, STRIDE * capacity);
            velocities = Arrays.copyOf(velocities, STRIDE * capacity);
            forces = Arrays.copyOf(forces, STRIDE * capacity);
        }
    }
}
