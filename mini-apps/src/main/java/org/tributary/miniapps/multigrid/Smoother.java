package org.tributary.miniapps.multigrid;

/** Weights of the smoother's stencil: of a point itself, of neighbours at faces, and of those at edges. */
enum Smoother {
    /** For smaller grids. */
    A(-3.0 / 8, 1.0 / 32, -1.0 / 64),
    /** For larger ones. */
    B(-3.0 / 17, 1.0 / 33, -1.0 / 61);

    private final double own;
    private final double face;
    private final double edge;

    Smoother(double own, double face, double edge) {
        this.own = own;
        this.face = face;
        this.edge = edge;
    }

    double own() {
        return own;
    }

    double face() {
        return face;
    }

    double edge() {
        return edge;
    }
}
