package org.tributary.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The arrows of docs/modules.svg against the classes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ModulesPictureTest {
    private static final Path PICTURE = Path.of("..", "docs", "modules.svg");
    /** Packages of modules that are not called as the module. */
    private static final Map<String, String> PACKAGES = Map.of("runtime-server", "server", "client-lib", "client");
    /** So far from its box an arrow may begin or end. */
    private static final double GAP = 3;

    private final List<Box> boxes = new ArrayList<>();
    private final Set<Arrow> drawn = new HashSet<>();
    private final Set<Arrow> real = new HashSet<>();

    private record Box(String module, double x, double y, double width, double height) {
        double distance(double toX, double toY) {
            return Math.hypot(Math.max(Math.max(x - toX, toX - x - width), 0),
                Math.max(Math.max(y - toY, toY - y - height), 0));
        }
    }

    private record Arrow(String from, String to) {
    }

    @BeforeAll
    void read() throws Exception {
        Element picture = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(PICTURE.toFile())
            .getDocumentElement();
        readBoxes(elements(picture, "rect"), elements(picture, "text"));
        elements(picture, "path").stream().filter(ModulesPictureTest::isUse).forEach(this::readArrow);
        ModuleDirectionTest.CLASSES.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .forEach(this::noteUse);
    }

    private void readBoxes(List<Element> rectangles, List<Element> texts) {
        for (Element each : rectangles) {
            if (each.hasAttribute("rx")) {
                Box box = new Box("", number(each, "x"), number(each, "y"), number(each, "width"),
                    number(each, "height"));
                List<String> names = texts.stream()
                    .filter(text -> box.distance(number(text, "x"), number(text, "y")) == 0)
                    .map(Element::getTextContent).toList();
                assertEquals(1, names.size(), names::toString);
                boxes.add(new Box(module(names.getFirst()), box.x, box.y, box.width, box.height));
            }
        }
    }

    private static String module(String drawnName) {
        return PACKAGES.getOrDefault(drawnName, drawnName.replace("-", ""));
    }

    /** Not the point of an arrow, nor one that is dashed: there the launcher starts programs. */
    private static boolean isUse(Element path) {
        Element group = (Element) path.getParentNode();
        return group.getNodeName().equals("g") && !group.hasAttribute("stroke-dasharray");
    }

    private void readArrow(Element path) {
        double[] numbers = Arrays.stream(path.getAttribute("d").split("[^0-9.]+"))
            .filter(each -> !each.isEmpty()).mapToDouble(Double::parseDouble).toArray();
        assertTrue(numbers[1] < numbers[numbers.length - 1], () -> path.getAttribute("d") + " points down");
        drawn.add(new Arrow(boxAt(numbers[0], numbers[1]),
            boxAt(numbers[numbers.length - 2], numbers[numbers.length - 1])));
    }

    private String boxAt(double x, double y) {
        Box nearest = Collections.min(boxes, Comparator.comparingDouble(box -> box.distance(x, y)));
        assertTrue(nearest.distance(x, y) <= GAP, () -> "no module is at " + x + ", " + y);
        return nearest.module;
    }

    private void noteUse(Dependency use) {
        String from = module(use.getOriginClass());
        String to = module(use.getTargetClass().getBaseComponentType());
        if (!from.equals(to) && !from.isEmpty() && !to.isEmpty()) {
            real.add(new Arrow(from, to));
        }
    }

    /** Empty when none is drawn. */
    private String module(JavaClass type) {
        String name = type.getPackageName() + ".";
        return boxes.stream().map(Box::module).filter(each -> name.startsWith("org.tributary." + each + "."))
            .findFirst().orElse("");
    }

    @Test
    void shouldBeDrawnWhenAModuleUsesAnother() {
        Map<String, Set<String>> reached = new TreeMap<>();
        for (Box box : boxes) {
            reached.put(box.module, new TreeSet<>());
        }
        IntStream.range(0, boxes.size()).forEach(round -> drawn.forEach(arrow -> {
            reached.get(arrow.from).add(arrow.to);
            reached.get(arrow.from).addAll(reached.get(arrow.to));
        }));
        assertEquals(List.of(), real.stream().filter(use -> !reached.get(use.from).contains(use.to)).toList());
    }

    @Test
    void shouldBeAUseWhenAnArrowIsDrawn() {
        Set<Arrow> unreal = new HashSet<>(drawn);
        unreal.removeAll(real);
        assertEquals(Set.of(), unreal);
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }

    private static List<Element> elements(Element root, String name) {
        NodeList found = root.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
    }
}
