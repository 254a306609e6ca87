-- The engine's own database, made when the server is made; console and engine never share one.
CREATE DATABASE anthill_engine TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';
