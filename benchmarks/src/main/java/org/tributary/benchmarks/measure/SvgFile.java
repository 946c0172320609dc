package org.tributary.benchmarks.measure;

import java.awt.Color;
import java.awt.Dimension;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;

/** Charts as SVG files, all in one size and style. Needs no display. */
public final class SvgFile {
    /** Of every chart, in pixels. */
    public static final int WIDTH = 800;
    /** Of every chart, in pixels. */
    public static final int HEIGHT = 500;
    private static final String SVG = "http://www.w3.org/2000/svg";

    private SvgFile() {
    }

    /** Gives a chart the common style. */
    public static void style(Chart<?, ?> chart) {
        chart.getStyler().setChartBackgroundColor(Color.WHITE).setLegendPosition(Styler.LegendPosition.OutsideS)
            .setLegendLayout(Styler.LegendLayout.Horizontal);
    }

    /** Draws a chart into a file. */
    public static void draw(Chart<?, ?> chart, Path file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        try (Writer writer = Files.newBufferedWriter(file)) {
            SVGGraphics2D graphics = new SVGGraphics2D(DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .getDOMImplementation().createDocument(SVG, "svg", null));
            graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
            chart.paint(graphics, WIDTH, HEIGHT);
            graphics.stream(writer, true);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's own parser of XML", e);
        }
    }
}
